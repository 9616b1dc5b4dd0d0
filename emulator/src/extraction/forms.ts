import type { CheerioAPI } from "cheerio" with { "resolution-mode": "import" };
import type { StoredTask } from "../store/store";

/** Where a text is entered when the task does not say: the first field of the page that takes text. */
const anyTextField = 'form input[type="search"], form input[type="text"], form input:not([type]), form textarea';

/**
 * The page that a GET form leads to once the text is in its field.
 * @throws Error for a page without such a form, or one that is sent in another way.
 * @internal the import above is more than old compilers can read in a declaration
 */
export function submittedForm($: CheerioAPI, base: string, task: StoredTask, text: string): string {
  const entering = task.actions.find((action) => action.actionType === "EnterTextAction");
  const selector = entering?.properties.get("Selector");
  const field = $(selector === undefined || selector === "" ? anyTextField : selector).first();
  const name = field.attr("name");
  const form = field.closest("form");
  if (name === undefined || form.length === 0) throw new Error("there is no form with a field for the text");
  const method = form.attr("method") ?? "get";
  if (method.toLowerCase() !== "get") throw new Error(`forms with method ${method} are not supported`);
  const url = new URL(form.attr("action") ?? "", base);
  url.search = new URLSearchParams([
    ...form
      .serializeArray()
      .filter((other) => other.name !== name)
      .map((other): [string, string] => [other.name, other.value]),
    [name, text],
  ]).toString();
  return url.href;
}
