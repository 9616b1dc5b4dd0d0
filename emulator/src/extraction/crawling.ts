import { shown } from "../errors";
import { allowedIntegers, isWithinLimits } from "../http/limits";

/** How runs open pages. */
export interface Crawling {
  /** Maximum number of pages of one host that are loaded at the same time. Default 0: no limit. */
  hostConnections: number;
  /** Minimum time between the starts of two requests to one host, in milliseconds, at most 3600000. Default 0. */
  hostPauseMs: number;
  /** Whether runs obey robots.txt, with its Crawl-delay. Default false. */
  robots: boolean;
  /**
   * Number of retries of a page after a failure that may pass: no connection, no complete response in time, or status 408, 425, 429 or 5xx. Default 0.
   */
  retries: number;
  /** Maximum number of pages that one run opens. Default 0: no limit. */
  maxPages: number;
  /** Maximum number of links and forms from a start page to a page. Default -1: no limit. */
  maxDepth: number;
}

const defaults: Crawling = {
  hostConnections: 0,
  hostPauseMs: 0,
  robots: false,
  retries: 0,
  maxPages: 0,
  maxDepth: -1,
};

/** @throws Error that names the option and the allowed values. */
export function checkCrawling(changes: Partial<Crawling> = {}): Crawling {
  const crawling = { ...defaults, ...changes };
  for (const [name, value] of Object.entries(crawling)) {
    if (!Object.hasOwn(defaults, name)) throw new Error(`unknown crawling option "${name}"; known: ${crawlingNames()}`);
    if (!isAllowed(name, value))
      throw new Error(`crawling option ${name} cannot be ${shown(value)}; allowed: ${allowedFor(name)}`);
  }
  return crawling;
}

/** Reads `name=value`, as given on the command line. */
export function parseCrawling(text: string): Partial<Crawling> {
  const [name = "", raw = ""] = text.split("=", 2);
  const value = raw === "true" || raw === "false" ? raw === "true" : /^-?\d+$/.test(raw) ? Number(raw) : raw;
  const changes: Partial<Crawling> = { [name]: value };
  checkCrawling(changes);
  return changes;
}

function crawlingNames(): string {
  return Object.keys(defaults).join(", ");
}

function isAllowed(name: string, value: unknown): boolean {
  if (name === "robots") return typeof value === "boolean";
  if (name === "hostPauseMs") return isWithinLimits(name, value);
  return Number.isSafeInteger(value) && Number(value) >= (name === "maxDepth" ? -1 : 0);
}

function allowedFor(name: string): string {
  if (name === "robots") return "true, false";
  if (name === "hostPauseMs") return allowedIntegers(name);
  return `an integer of at least ${name === "maxDepth" ? -1 : 0}`;
}
