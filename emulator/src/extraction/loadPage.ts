import { setTimeout as wait } from "node:timers/promises";
import type { PlannedFault } from "../faults/faults";
import { delayOf } from "../faults/faults";
import type { FetchedPage } from "./fetchPage";
import { checkUrl, fetchPage, noResponseWithin, PageError } from "./fetchPage";

/** Loads a page. @throws PageError. */
export type LoadPage = (url: string, taskId: string, signal: AbortSignal) => Promise<FetchedPage>;

/** The fault of a page that a run of a task loads. */
export type TakePageFault = (url: string, taskId: string) => PlannedFault | undefined;

/** Loads pages, with the faults that are planned for them. */
export function pageLoader(takeFault: TakePageFault, timeoutMs: number): LoadPage {
  return async (url, taskId, signal) => {
    // A page that may not be opened takes no fault.
    checkUrl(url);
    const fault = takeFault(url, taskId);
    const load = () => fetchPage(url, timeoutMs, signal);
    return fault === undefined ? load() : disturbedPage(fault, { load, timeoutMs, signal });
  };
}

/** How to load a page without its fault. */
interface Loading {
  load: () => Promise<FetchedPage>;
  timeoutMs: number;
  signal: AbortSignal;
}

/** Loads a page with a fault, as if its site had it. @throws PageError. */
async function disturbedPage(fault: PlannedFault, { load, timeoutMs, signal }: Loading): Promise<FetchedPage> {
  switch (fault.kind) {
    case "reset":
    case "truncated":
      throw new PageError("could not be fetched (ECONNRESET)");
    case "status":
      throw new PageError(`status ${fault.status ?? 503}`);
    case "wrongType":
      throw new PageError("not a page: application/octet-stream");
    case "hang":
      return delayed(Number.POSITIVE_INFINITY);
    case "slow":
    case "late":
      return delayed(delayOf(fault, 1000));
    case "hold":
      await Promise.race([fault.gate.pass(), aborted(signal)]);
      return load();
    case "changed": {
      const page = await load();
      return { ...page, bytes: withOtherNames(page.bytes) };
    }
    default:
      return load();
  }

  /** The timeout is that of the whole page. */
  async function delayed(ms: number): Promise<FetchedPage> {
    await wait(Math.min(ms, timeoutMs), undefined, { signal });
    if (ms >= timeoutMs) throw noResponseWithin(timeoutMs);
    return load();
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** The page with other class names and ids, as after a new design: selectors with the earlier ones match nothing. Other bytes stay. */
function withOtherNames(bytes: Buffer): Buffer {
  const text = bytes.toString("latin1");
  const changed = text.replace(/(\s(?:class|id)\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>]+)/gi, (_all, name, value) => {
    return `${name}${String(value).replace(/[\w-]+/g, (word) => `${word}-changed`)}`;
  });
  return Buffer.from(changed, "latin1");
}
