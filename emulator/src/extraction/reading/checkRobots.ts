import type { Robot } from "robots-parser";

/** Asks whether robots.txt allows a page. It is sent to a worker thread, so it contains data only. */
export interface RobotsJob {
  /** The address of robots.txt. */
  address: string;
  text: string;
  /** The page. */
  url: string;
  userAgent: string;
}

/** What robots.txt says about a page. */
export interface RobotsAnswer {
  allowed: boolean;
  /** The pause between requests that the site asks for, in milliseconds. */
  delayMs: number;
}

/** Most pages are of the same site as the page before. */
let last: { address: string; text: string; robot: Robot } | undefined;

/** Parsing and matching can take any time, so this runs in a worker thread. */
export async function checkRobots({ address, text, url, userAgent }: RobotsJob): Promise<RobotsAnswer> {
  if (last?.address !== address || last.text !== text) {
    const { default: module } = await import("robots-parser");
    // The package declares a default export, but exports the function itself.
    const parse = module as unknown as (address: string, text: string) => Robot;
    last = { address, text, robot: parse(address, text) };
  }
  const { robot } = last;
  return {
    allowed: robot.isDisallowed(url, userAgent) !== true,
    delayMs: (robot.getCrawlDelay(userAgent) ?? 0) * 1000,
  };
}
