import type { StoredAction, StoredTask } from "../store/store";
import type { PageVisit } from "./visit";

/** More subtasks than this are of no use to anybody: each takes more pages instead. */
const mostSubtasks = 1000;

/** In `Url` of a NavigateAction and `TextToSet` of an EnterTextAction: where the text of a loop goes. */
const placeholder = "{text}";

/** What a task begins with: its pages to open, in the order of the rows. */
export interface RunInputs {
  visits: PageVisit[];
  /** Made from a list of URLs or texts. */
  fromList: boolean;
}

/**
 * The uploaded start URLs, then the items of each UrlList; without either the Url of each NavigateAction. Where the task enters texts or
 * loops over them, each of these pages is opened once for each text.
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
    return texts.map((text) => ({ kind: "list", url: url.replaceAll(placeholder, encodeURIComponent(text)) }));
  }
  if (entering === undefined) return [{ kind: "list", url }];
  const set = entering.properties.get("TextToSet") ?? "";
  const entered =
    texts.length > 0
      ? texts.map((text) => (set.includes(placeholder) ? set.replaceAll(placeholder, text) : text))
      : [set];
  return entered.map((text) => ({ kind: "form", url, text }));
}

/** The pages of each subtask, in order; at least one subtask, if only an empty one. */
export function splitVisits(visits: PageVisit[], urlsPerSubtask: number): PageVisit[][] {
  const each = Math.max(urlsPerSubtask, Math.ceil(visits.length / mostSubtasks));
  const parts = Array.from({ length: Math.ceil(visits.length / each) }, (_, index) =>
    visits.slice(index * each, (index + 1) * each),
  );
  return parts.length === 0 ? [[]] : parts;
}
