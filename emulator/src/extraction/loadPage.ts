import { setTimeout as wait } from "node:timers/promises";
import { disturbedPage } from "../faults/disturbedPage";
import type { PlannedFault } from "../faults/faults";
import type { StoredRun } from "../store/store";
import type { Crawling } from "./crawling";
import type { FetchedPage, PageOptions } from "./fetchPage";
import { checkUrl, fetchPage, PageError } from "./fetchPage";
import { Hosts } from "./hosts";
import type { ReadingLimits } from "./reading/pagePool";
import { Robots } from "./robots";

/** The wait before the first retry of a page. It doubles with each retry. */
const firstWaitMs = 250;

/** Longest wait before a request, whatever the site asks for. */
const longestWaitMs = 30_000;

/** The fault of a page that a run of a task loads. */
export type TakePageFault = (url: string, taskId: string) => PlannedFault | undefined;

/** Loads pages as {@link Crawling} says. */
export class PageLoader {
  private readonly options: PageOptions;
  private readonly crawling: Crawling;
  private readonly hosts: Hosts;
  private readonly robots: Robots | undefined;
  private readonly takeFault: TakePageFault;

  constructor(options: PageOptions, crawling: Crawling, limits: ReadingLimits, takeFault: TakePageFault) {
    this.options = options;
    this.takeFault = takeFault;
    this.crawling = crawling;
    this.hosts = new Hosts({ connections: crawling.hostConnections, pauseMs: crawling.hostPauseMs });
    this.robots = crawling.robots ? new Robots(options, limits) : undefined;
  }

  /**
   * @param retried is called with the reason of each failure that is followed by a retry.
   * @throws Error with the reason of the last failure.
   */
  async load(
    run: StoredRun,
    url: string,
    signal: AbortSignal,
    retried: (reason: string) => void,
  ): Promise<FetchedPage> {
    // Before anything is kept for the host: a run can have a million URLs that it may not open.
    checkUrl(url, this.options);
    const check = (address: string) => this.robots?.check(run, address, signal) ?? Promise.resolve(0);
    const pauseMs = Math.min(longestWaitMs, await check(url));
    for (let retry = 0; ; retry += 1) {
      const leave = await this.hosts.enter(url, run, pauseMs, signal);
      try {
        const load = () => fetchPage(url, this.options, signal, check);
        const fault = this.takeFault(url, run.taskId);
        if (fault === undefined) return await load();
        return await disturbedPage(fault, { load, timeoutMs: this.options.timeoutMs, signal });
      } catch (error) {
        const passes = error instanceof PageError && error.passes && !signal.aborted;
        if (!passes || retry >= this.crawling.retries) throw error;
        retried(error.message);
        leave();
        await wait(Math.min(longestWaitMs, error.retryAfterMs ?? firstWaitMs * 2 ** retry), undefined, { signal });
      } finally {
        leave();
      }
    }
  }
}
