import { moreAt } from "../values/words";

/**
 * With a wrong account or address, the service responds "no such task" for every task. If a refresh accepted that, the
 * next up would copy all tasks again. So the refresh fails if two or more tasks are gone and none is found; with tokens
 * that stand in for the configured ones, already if one is gone.
 *
 * Reads run in parallel and in any order. A read that finds its task gone waits for the responses to all other reads in
 * progress. If reads run one after the other, the first has no others to wait for. Then the guard looks up the task
 * from which its task was copied, and counts that task if it is gone too. A source that exists proves nothing, because
 * another account can see the same template.
 */
export class AccountGuard {
  private readonly found = new Set<string>();
  /** Tasks that state of this account names. */
  private readonly named = new Set<string>();
  private readonly gone = new Set<string>();
  private inProgress = 0;
  private waiting: (() => void)[] = [];

  /** Runs a read. The read reports what it finds with `saw`. */
  async during<T>(read: () => Promise<T>): Promise<T> {
    this.inProgress++;
    try {
      return await read();
    } finally {
      this.inProgress--;
      this.release();
    }
  }

  saw(taskId: string, presence: "there" | "gone"): void {
    (presence === "gone" ? this.gone : this.found).add(taskId);
  }

  name(taskId: unknown): void {
    if (typeof taskId === "string") this.named.add(taskId);
  }

  /** Other tasks of this account, at most five, those that were found first. */
  othersThan(taskId: string): string[] {
    return [...new Set([...this.found, ...this.named])].filter((other) => other !== taskId).slice(0, 5);
  }

  /**
   * Call it inside a read that found its task gone.
   * @param source the task from which it was copied
   * @param isSourceGone looks up the source
   * @param standsIn whether the tokens in use may belong to another account
   * @returns the error if the account is probably wrong, otherwise undefined
   */
  async doubt(
    source?: string,
    isSourceGone?: (source: string) => Promise<boolean>,
    standsIn = false,
  ): Promise<string | undefined> {
    await new Promise<void>((resolve) => {
      this.waiting.push(resolve);
      this.release();
    });
    const least = standsIn ? 1 : 2;
    if (source !== undefined && this.gone.size < least && this.found.size === 0 && (await isSourceGone?.(source))) {
      this.gone.add(source);
    }
    if (this.gone.size < least || this.found.size > 0) {
      return undefined;
    }
    const gone = `${this.gone.size} tasks are gone, and has found no task of this stack so far. The account or the service may be the wrong one.`;
    return (
      `The service says that ${gone.replace(/^1 tasks are/, "1 task is")}\n` +
      "The tasks stay in the state.\nCheck webextract:baseUrl and the credentials.\n" +
      moreAt("troubleshooting.md#refresh-and-destroy")
    );
  }

  private release(): void {
    if (this.waiting.length > 0 && this.waiting.length >= this.inProgress) {
      const released = this.waiting;
      this.waiting = [];
      for (const resolve of released) {
        resolve();
      }
    }
  }
}
