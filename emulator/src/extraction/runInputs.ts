import type { StoredAction, StoredTask } from "../store/store";
import type { PageVisit } from "./visit";

/** Maximum number of subtasks. Beyond it, each subtask takes more pages. */
const mostSubtasks = 1000;

/** The place of a loop item in `Url` of a NavigateAction and in `TextToSet` of an EnterTextAction. */
const placeholder = "{text}";

/** The first pages that a run opens, in the order of the rows. */
export interface RunInputs {
  visits: PageVisit[];
  /** Whether they come from a list of URLs or texts. */
  fromList: boolean;
}

/**
 * The uploaded start URLs, then the items of each UrlList. If there are none: the Url of each NavigateAction. A task that enters texts or
 * loops over them opens each of these pages once for each text.
 */
export function runInputs(task: StoredTask): RunInputs {
  const loops = (kind: string) => task.actions.filter((action) => action.loopType?.toLowerCase() === kind);
  const listed = [...task.startUrls.lines(), ...loops("urllist").flatMap((loop) => loop.loopItems)];
  const navigated = task.actions
    .filter((action) => action.actionType === "NavigateAction")
    .map((action) => action.properties.get("Url") ?? "")
    .filter((url) => url !== "");
  const urls = listed.length > 0 ? listed : navigated;
  const texts = loops("textlist").flatMap((loop) => loop.loopItems);
  const entering = task.actions.find((action) => action.actionType === "EnterTextAction");
  return {
    visits: urls.flatMap((url) => visitsOf(url, texts, entering)),
    fromList: listed.length > 0 || texts.length > 0,
  };
}

function visitsOf(url: string, texts: readonly string[], entering: StoredAction | undefined): PageVisit[] {
  if (url.includes(placeholder) && texts.length > 0) {
    return texts.map((text) => ({ kind: "list", url: url.replaceAll(placeholder, encoded(text)) }));
  }
  if (entering === undefined) return [{ kind: "list", url }];
  const set = entering.properties.get("TextToSet") ?? "";
  const entered =
    texts.length > 0
      ? texts.map((text) => (set.includes(placeholder) ? set.replaceAll(placeholder, text) : text))
      : [set];
  return entered.map((text) => ({ kind: "form", url, text }));
}

/** As in a browser: half of a surrogate pair, which has no encoding, becomes U+FFFD. */
function encoded(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}

/** The pages of each subtask, in order. There is at least one subtask; it can be empty. */
export function splitVisits(visits: PageVisit[], urlsPerSubtask: number): PageVisit[][] {
  const each = Math.max(urlsPerSubtask, Math.ceil(visits.length / mostSubtasks));
  const parts = Array.from({ length: Math.ceil(visits.length / each) }, (_, index) =>
    visits.slice(index * each, (index + 1) * each),
  );
  return parts.length === 0 ? [[]] : parts;
}
