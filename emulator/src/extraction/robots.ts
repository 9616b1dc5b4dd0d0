import type { StoredRun } from "../store/store";
import type { PageOptions } from "./fetchPage";
import { fetchText, PageError, userAgent } from "./fetchPage";
import { parsedUrl } from "./parsedUrl";
import type { ReadingLimits } from "./reading/pagePool";
import { checkInWorker } from "./reading/pagePool";

/** robots.txt of a site. Without it, its text is empty. Absent: it cannot be read. */
interface Site {
  text?: string;
}

/** Maximum length of robots.txt, as in RFC 9309. The rest is ignored. */
const mostCharacters = 500 * 1024;

/** Above this number of sites, the first one is forgotten. */
const mostSites = 1000;

/** robots.txt of the sites, read once for each run. */
export class Robots {
  private readonly options: PageOptions;
  private readonly limits: ReadingLimits;
  /** By batch and address. */
  private readonly sites = new Map<string, Promise<Site>>();

  constructor(options: PageOptions, limits: ReadingLimits) {
    this.options = options;
    this.limits = limits;
  }

  /**
   * @returns the pause that the site asks for, in milliseconds.
   * @throws PageError if the site does not allow the page.
   */
  async check(run: StoredRun, url: string, signal: AbortSignal): Promise<number> {
    if (!/^https?:$/.test(parsedUrl(url)?.protocol ?? "")) return 0;
    const address = new URL("/robots.txt", url).href;
    const site = await this.siteOf(run, address, signal);
    const answer = site.text === "" ? { allowed: true, delayMs: 0 } : await this.ask(site, address, url, signal);
    // As RFC 9309 says: a site that cannot say what it allows allows nothing.
    if (answer === undefined) throw new PageError("not opened: robots.txt of the site cannot be read");
    if (!answer.allowed) throw new PageError("not opened: robots.txt does not allow it");
    return answer.delayMs;
  }

  /** Rules of a stranger can take any time, so they are matched in a worker thread. */
  private async ask(site: Site, address: string, url: string, signal: AbortSignal) {
    const { text } = site;
    if (text === undefined) return undefined;
    try {
      return await checkInWorker({ address, text, url, userAgent }, this.limits, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      // No other page of the site waits for the same rules.
      delete site.text;
      return undefined;
    }
  }

  private async siteOf(run: StoredRun, address: string, signal: AbortSignal): Promise<Site> {
    const key = `${run.lotNo} ${address}`;
    for (;;) {
      const known = this.sites.get(key);
      if (known !== undefined) {
        const site = await known.catch(() => undefined);
        if (site !== undefined) return site;
        // The visit that read it was stopped, which says nothing about the site.
        signal.throwIfAborted();
        continue;
      }
      const reading = this.read(address, signal);
      this.sites.set(key, reading);
      reading.catch(() => this.sites.delete(key));
      const [first] = this.sites.keys();
      if (this.sites.size > mostSites && first !== undefined) this.sites.delete(first);
    }
  }

  /** @throws only if the visit is stopped. */
  private async read(address: string, signal: AbortSignal): Promise<Site> {
    try {
      const { status, text } = await fetchText(address, this.options, signal);
      if (status >= 500) return {};
      return { text: status === 200 ? text.slice(0, mostCharacters) : "" };
    } catch (error) {
      if (signal.aborted) throw error;
      return {};
    }
  }
}
