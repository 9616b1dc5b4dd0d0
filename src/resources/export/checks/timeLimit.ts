import { createContext, Script } from "node:vm";

/** Work that does not end by itself, such as a regular expression that backtracks, would block the process for ever. */
export class TimeLimit {
  private readonly globals: { work?: () => void } = {};
  private readonly context = createContext(this.globals);
  private readonly script = new Script("work()");

  constructor(private readonly milliseconds: number) {}

  /** Returns false if the work was stopped. */
  run(work: () => void): boolean {
    this.globals.work = work;
    try {
      this.script.runInContext(this.context, { timeout: this.milliseconds });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ERR_SCRIPT_EXECUTION_TIMEOUT") {
        return false;
      }
      throw error;
    } finally {
      this.globals.work = undefined;
    }
  }
}
