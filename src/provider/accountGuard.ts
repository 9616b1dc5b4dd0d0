/**
 * A wrong account or address answers "no such task" for every task. If a refresh believed it, the next up would copy the whole fleet
 * again. So when two or more tasks are gone and none is found, the refresh fails instead.
 *
 * Reads run side by side and in any order: a read that found its task gone waits until all others under way have said what they
 * found. The first of several that run one after the other has only itself to go by: then the task that its own was copied from is looked up,
 * and counts where it is gone too. Where it is there that proves nothing, for another account may see the same template.
 */
export class AccountGuard {
  private readonly found = new Set<string>();
  private readonly gone = new Set<string>();
  private underWay = 0;
  private waiting: (() => void)[] = [];

  /** Runs a read; what it finds out on the way is told by `saw`. */
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
   * Inside a read that found its task gone: whether to believe it. Answers why not.
   * @param isSourceGone looks up a task that must be there too, which is `source`.
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
