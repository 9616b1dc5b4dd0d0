/** What is known of a task whose pages are extracted. */
export interface ExtractedTask {
  taskId: string;
  actions: readonly { actionType: string; properties: ReadonlyMap<string, string> }[];
}

/** What a task extracts from a page, as its actions define it. */
export interface Extraction {
  /** CSS selector of the rows of a page. Without it, the whole page is one row. */
  rowSelector: string | undefined;
  fields: Field[];
  /** The detail page of each row. */
  detail: { linkSelector: string; fields: Field[] } | undefined;
  /** The link to the next page of a list. */
  pagination: { nextSelector: string; maxPages: number } | undefined;
}

/** A field: the text, or an attribute, of the first element in a row that `selector` matches. */
export interface Field {
  name: string;
  /** Empty: the row itself. */
  selector: string;
  attribute: string | undefined;
}

const fieldPrefix = "Field.";

/** Reads the actions ExtractDataAction, DetailAction and PaginationAction. Their names are invented for this emulator. */
export function extractionOf(task: ExtractedTask): Extraction {
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

/** `css`, `css@attribute`, or `@attribute` of the row itself. An @ in brackets is part of the selector. */
function parseField(name: string, value: string): Field {
  const [, selector, attribute] = /^(.*?)(?:@([\w:-]+))?$/s.exec(value) ?? [];
  return { name, selector: (selector ?? "").trim(), attribute };
}

/** Maximum number of pages of one list. Default 1000. */
function maximum(text: string | undefined): number {
  const pages = Number(text);
  return filled(text) !== undefined && Number.isInteger(pages) && pages > 0 ? pages : 1000;
}

function filled(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" ? undefined : text;
}
