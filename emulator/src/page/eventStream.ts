import type { Writable } from "node:stream";
import type { Change, ChangeFeed } from "../runs/changeFeed";

/** Between two batches of events, so that many changes of one run become one event. */
const pauseMs = 250;

/** A batch with more changes of different things has one event for each type, without ids. */
const mostInBatch = 100;

/** Proxies close connections that are silent for longer. */
const keepAliveMs = 15_000;

/**
 * Writes changes as Server-sent events. Changes wait here as a set until the reader has taken the previous batch, so that a slow reader costs
 * a bounded amount of memory.
 */
export class EventStream {
  private readonly waiting = new Map<string, Change>();
  private timer: NodeJS.Timeout | undefined;
  private readonly keepAlive: NodeJS.Timeout;
  private blocked = false;
  private readonly stopListening: () => void;

  constructor(
    feed: ChangeFeed,
    private readonly output: Writable,
  ) {
    this.write(": connected\n\n");
    this.stopListening = feed.listen((change) => this.add(change));
    this.keepAlive = setInterval(() => {
      if (!this.blocked) this.write(": still here\n\n");
    }, keepAliveMs).unref();
    output.once("close", () => this.end());
  }

  private add(change: Change): void {
    const { type, taskId, lotNo } = change;
    if (this.waiting.has(type)) return;
    this.waiting.set(JSON.stringify([type, taskId, lotNo]), change);
    if (this.waiting.size > mostInBatch) this.summarize();
    this.timer ??= setTimeout(() => this.flush(), pauseMs).unref();
  }

  private summarize(): void {
    const types = new Set([...this.waiting.values()].map(({ type }) => type));
    this.waiting.clear();
    for (const type of types) this.waiting.set(type, { type });
  }

  private flush(): void {
    this.timer = undefined;
    if (this.blocked || this.waiting.size === 0) return;
    const events = [...this.waiting.values()].map(
      ({ type, ...ids }) => `event: ${type}\ndata: ${JSON.stringify(ids)}\n\n`,
    );
    this.waiting.clear();
    this.write(events.join(""));
  }

  private write(text: string): void {
    if (this.output.destroyed || this.output.write(text)) return;
    this.blocked = true;
    this.output.once("drain", () => {
      this.blocked = false;
      this.flush();
    });
  }

  private end(): void {
    this.stopListening();
    clearInterval(this.keepAlive);
    clearTimeout(this.timer);
  }
}
