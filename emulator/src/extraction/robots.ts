import type { Robot } from "robots-parser";
import type { StoredRun } from "../store/store";
import type { PageOptions } from "./fetchPage";
import { fetchText, PageError, userAgent } from "./fetchPage";

/** robots.txt of the sites, read once for each run. */
export class Robots {
  private readonly options: PageOptions;
  private readonly runs = new WeakMap<StoredRun, Map<string, Promise<Robot | "unreadable">>>();

  constructor(options: PageOptions) {
    this.options = options;
  }

  /**
   * @returns the pause that the site asks for, in milliseconds.
   * @throws PageError if the site does not allow the page.
   */
  async check(run: StoredRun, url: string, signal: AbortSignal): Promise<number> {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return 0;
    const rules = await this.rulesOf(run, new URL("/robots.txt", url).href, signal);
    // As RFC 9309 says: a site that cannot say what it allows allows nothing.
    if (rules === "unreadable") throw new PageError("not opened: robots.txt of the site cannot be read");
    if (rules.isDisallowed(url, userAgent) === true) throw new PageError("not opened: robots.txt does not allow it");
    return (rules.getCrawlDelay(userAgent) ?? 0) * 1000;
  }

  private rulesOf(run: StoredRun, address: string, signal: AbortSignal): Promise<Robot | "unreadable"> {
    const sites = this.runs.get(run) ?? new Map<string, Promise<Robot | "unreadable">>();
    this.runs.set(run, sites);
    const known = sites.get(address);
    if (known !== undefined) return known;
    const rules = this.read(address, signal);
    sites.set(address, rules);
    // A read that was stopped says nothing about the site.
    void rules.then(() => signal.aborted && sites.delete(address));
    return rules;
  }

  private async read(address: string, signal: AbortSignal): Promise<Robot | "unreadable"> {
    const { status, text } = await fetchText(address, this.options, signal).catch(() => ({ status: 500, text: "" }));
    if (status >= 500) return "unreadable";
    const { default: module } = await import("robots-parser");
    // The package declares a default export, but exports the function itself.
    const parse = module as unknown as (address: string, text: string) => Robot;
    // Without the file, everything is allowed.
    return parse(address, status === 200 ? text : "");
  }
}
