import type { Asking } from "../resources/task/actionReader";

/** How long reads wait for a step that the engine may begin. Each begin and end of a step starts it again. */
const quietMs = 100;

/**
 * The steps that the engine runs in this process at once. It runs up to a number that no provider knows, and begins
 * another one when one ends. So reads of steps wait for each other until as many steps run as before: then the engine
 * asks for no more before it has a result.
 */
export class RunningSteps implements Asking {
  private running = 0;
  /** As many as the engine is known to run at once. */
  private most = Number.POSITIVE_INFINITY;
  private requests = 0;
  private waiting: (() => void)[] = [];
  private timer: NodeJS.Timeout | undefined;
  private turn: NodeJS.Immediate | undefined;

  async during<T>(step: () => Promise<T>): Promise<T> {
    this.running++;
    this.most = Math.max(this.most, this.running);
    this.look();
    try {
      return await step();
    } finally {
      this.running--;
      this.look();
    }
  }

  whenAllAsked(send: () => void): void {
    this.waiting.push(send);
    this.look();
  }

  async request<T>(send: () => Promise<T>): Promise<T> {
    this.requests++;
    try {
      return await send();
    } finally {
      this.requests--;
      this.look();
    }
  }

  private look(): void {
    clearTimeout(this.timer);
    clearImmediate(this.turn);
    // The steps of a request that ends begin others: without a wait for it, requests would stay as small as the first
    // one.
    if (this.waiting.length === 0 || this.requests > 0) {
      return;
    }
    if (this.running >= this.most) {
      this.sendAfterTurn();
    } else {
      this.timer = setTimeout(() => this.sendAfterTurn(), quietMs);
    }
  }

  /** After a turn of the event loop: a process that has stood still has steps to begin, which call this off. */
  private sendAfterTurn(): void {
    this.turn = setImmediate(() => {
      this.most = this.running;
      for (const send of this.waiting.splice(0)) {
        send();
      }
    });
  }
}
