import type { StoredTask } from "../store/store";

/** What a task takes from a page: its actions that extract, read once for each page. */
export interface Extraction {
  /** CSS selector of the rows of a page; the whole page is one row where there is none. */
  rowSelector: string | undefined;
  fields: Field[];
  /** The page behind each row. */
  detail: { linkSelector: string; fields: Field[] } | undefined;
  /** Where a list goes on. */
  pagination: { nextSelector: string; maxPages: number } | undefined;
}

/** A field: the text of the first element that `selector` finds in a row, or an attribute of it. */
export interface Field {
  name: string;
  /** Empty: the row itself. */
  selector: string;
  attribute: string | undefined;
}

const fieldPrefix = "Field.";

/** Reads the actions ExtractDataAction, DetailAction and PaginationAction, names that are this emulator's own invention. */
export function extractionOf(task: StoredTask): Extraction {
  const properties = (actionType: string) =>
    task.actions.filter((action) => action.actionType === actionType).map((action) => action.properties);
  const extracts = properties("ExtractDataAction");
  const detail = properties("DetailAction").find((details) => filled(details.get("LinkSelector")) !== undefined);
  const pagination = properties("PaginationAction").find((pages) => filled(pages.get("NextSelector")) !== undefined);
  return {
    rowSelector: extracts
      .map((extract) => filled(extract.get("RowSelector")))
      .find((selector) => selector !== undefined),
    fields: extracts.flatMap(fieldsOf),
    detail: detail && { linkSelector: detail.get("LinkSelector") ?? "", fields: fieldsOf(detail) },
    pagination: pagination && {
      nextSelector: pagination.get("NextSelector") ?? "",
      maxPages: maximum(pagination.get("MaxPages")),
    },
  };
}

function fieldsOf(properties: ReadonlyMap<string, string>): Field[] {
  return [...properties].flatMap(([name, value]) =>
    name.startsWith(fieldPrefix) ? [parseField(name.slice(fieldPrefix.length), value)] : [],
  );
}

/** `css`, `css@attribute`, or `@attribute` of the row itself. An @ inside of brackets belongs to the selector. */
function parseField(name: string, value: string): Field {
  const [, selector, attribute] = /^(.*?)(?:@([\w:-]+))?$/s.exec(value) ?? [];
  return { name, selector: (selector ?? "").trim(), attribute };
}

/** Pages to read of one list. Default 1000, which no list on one machine has. */
function maximum(text: string | undefined): number {
  const pages = Number(text);
  return filled(text) !== undefined && Number.isInteger(pages) && pages > 0 ? pages : 1000;
}

function filled(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" ? undefined : text;
}
