import type { PageVisit } from "../../visit";
import type { StoredTask } from "../store";
import { RunPages } from "./runPages";
import { VisitQueue } from "./visitQueue";

/** Maximum number of subtasks. Beyond it, each subtask takes more pages. */
const mostSubtasks = 1000;

/** The place of a loop item in `Url` of a NavigateAction and in `TextToSet` of an EnterTextAction. */
const placeholder = "{text}";

/** The first pages that a run opens, in the order of the rows. */
export interface RunInputs {
  count: number;
  /** Makes them one by one, because a run can have a million of them. Later changes of the task change none. */
  visits: () => Iterator<PageVisit>;
  /** Whether they come from a list of URLs or texts. */
  fromList: boolean;
}

/**
 * The uploaded start URLs, then the items of each UrlList. If there are none: the Url of each NavigateAction. A task that enters texts or
 * loops over them opens each of these pages once for each text.
 */
export function runInputs(task: StoredTask): RunInputs {
  const itemsOf = (kind: string) =>
    task.actions.filter((action) => action.loopType?.toLowerCase() === kind).flatMap(({ loopItems }) => loopItems);
  const { startUrls } = task;
  const items = itemsOf("urllist");
  const navigated = task.actions
    .filter((action) => action.actionType === "NavigateAction")
    .map((action) => action.properties.get("Url") ?? "")
    .filter((url) => url !== "");
  const listed = startUrls.count + items.length;
  function* urls(): Generator<string> {
    if (listed === 0) yield* navigated;
    yield* startUrls.lines();
    yield* items;
  }
  const texts = itemsOf("textlist");
  const entering = task.actions.find((action) => action.actionType === "EnterTextAction");
  const set = entering?.properties.get("TextToSet") ?? "";
  const takesTexts = (url: string) => texts.length > 0 && (entering !== undefined || url.includes(placeholder));
  function* visits(): Generator<PageVisit> {
    for (const url of urls()) {
      if (!takesTexts(url)) yield entering === undefined ? { kind: "list", url } : { kind: "form", url, text: set };
      else for (const text of texts) yield visitWith(text, url, set);
    }
  }
  let count = listed === 0 ? navigated.length : listed;
  if (texts.length > 0) {
    count = 0;
    for (const url of urls()) count += takesTexts(url) ? texts.length : 1;
  }
  return { count, visits, fromList: listed > 0 || texts.length > 0 };
}

function visitWith(text: string, url: string, set: string): PageVisit {
  if (url.includes(placeholder)) return { kind: "list", url: url.replaceAll(placeholder, encoded(text)) };
  // A replacement that is a string would give $& in a text a meaning.
  return { kind: "form", url, text: set.includes(placeholder) ? set.replaceAll(placeholder, () => text) : text };
}

/** As in a browser: half of a surrogate pair, which has no encoding, becomes U+FFFD. */
function encoded(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}

/** The pages of each subtask, in order. There is at least one subtask; it can be empty. */
export function splitInputs({ count, visits }: Omit<RunInputs, "fromList">, urlsPerSubtask: number): VisitQueue[] {
  const each = Math.max(urlsPerSubtask, Math.ceil(count / mostSubtasks));
  const ranges = Array.from({ length: Math.max(1, Math.ceil(count / each)) }, (_, index) => ({
    first: index * each,
    count: Math.min(each, count - index * each),
  }));
  const pages = new RunPages(visits);
  return ranges.map((range) => VisitQueue.later(pages, range));
}
