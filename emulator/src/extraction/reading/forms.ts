import type { CheerioAPI } from "cheerio" with { "resolution-mode": "import" };
import { select } from "./selectors";

/** The default field for a text: the first field of the page that takes text. */
const anyTextField = 'form input[type="search"], form input[type="text"], form input:not([type]), form textarea';

/**
 * The URL to which a GET form leads when the text is in its field.
 * @throws Error if the page has no such form, or if the form has another method.
 * @internal because old compilers cannot parse the import above in a declaration
 */
export function submittedForm(
  $: CheerioAPI,
  addresses: { page: string; base: string },
  { fieldSelector, text }: { fieldSelector: string | undefined; text: string },
): string {
  const field = select("Selector", fieldSelector ?? anyTextField, (selector) => $(selector).first());
  const name = field.attr("name");
  const form = field.closest("form");
  if (name === undefined || form.length === 0) throw new Error("there is no form with a field for the text");
  const method = form.attr("method") ?? "get";
  if (method.toLowerCase() !== "get") throw new Error(`forms with method ${method} are not supported`);
  const action = form.attr("action") ?? "";
  // A form without an address leads to its own page, whatever the base of the page is.
  const url = action === "" ? new URL(addresses.page) : new URL(action, addresses.base);
  url.search = new URLSearchParams([
    ...form
      .serializeArray()
      .filter((other) => other.name !== name)
      .map((other): [string, string] => [other.name, other.value]),
    [name, text],
  ]).toString();
  return url.href;
}
