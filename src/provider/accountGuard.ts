/**
 * A wrong account or address answers "no such task" for every task. If a refresh believed that, the next up would copy all tasks
 * again. So the refresh fails when two or more tasks are gone and none is found.
 *
 * Reads run side by side and in any order. A read that finds its task gone waits until all other reads under way have their answers. Where reads run one after the
 * other, the first has no others to wait for. Then the guard looks up the task from which its task was copied, and counts it where it is gone too. A source that
 * exists proves nothing: another account may see the same template.
 */
export class AccountGuard {
  private readonly found = new Set<string>();
  private readonly gone = new Set<string>();
  private underWay = 0;
  private waiting: (() => void)[] = [];

  /** Runs a read. The read tells what it finds by calling `saw`. */
  async during<T>(read: () => Promise<T>): Promise<T> {
    this.underWay++;
    try {
      return await read();
    } finally {
      this.underWay--;
      this.release();
    }
  }

  saw(taskId: string, presence: "there" | "gone"): void {
    (presence === "gone" ? this.gone : this.found).add(taskId);
  }

  /**
   * To be called inside a read that found its task gone.
   * @param source the task from which it was copied
   * @param isSourceGone looks up the source
   * @returns why not to believe it; undefined where it is believed
   */
  async doubt(source?: string, isSourceGone?: (source: string) => Promise<boolean>): Promise<string | undefined> {
    await new Promise<void>((resolve) => {
      this.waiting.push(resolve);
      this.release();
    });
    if (source !== undefined && this.gone.size === 1 && this.found.size === 0 && (await isSourceGone?.(source))) {
      this.gone.add(source);
    }
    if (this.gone.size < 2 || this.found.size > 0) {
      return undefined;
    }
    return (
      `The service says that ${this.gone.size} tasks are gone, and so far found none of this stack: is this another account, or another service? ` +
      "They stay in the state. Check webextract:baseUrl and the credentials. " +
      'If they are really gone and others are there, "pulumi refresh --parallel 200" sees more of them at once and believes it; ' +
      'else remove them with "pulumi state delete" or from the program.'
    );
  }

  private release(): void {
    if (this.waiting.length > 0 && this.waiting.length >= this.underWay) {
      const released = this.waiting;
      this.waiting = [];
      for (const resolve of released) {
        resolve();
      }
    }
  }
}
