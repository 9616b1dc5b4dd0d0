import { isRecord } from "../../service/isRecord";

/**
 * Reports are attached to public issues, so nothing of a response is shown as it came, except for words of the service's own vocabulary: codes,
 * statuses, types of actions and loops. Fields have their names only if the contract or this package knows them.
 */
export class Words {
  constructor(private readonly hidden: readonly (string | undefined)[]) {}

  /** A word of the service's vocabulary; undefined if it could be anything else. */
  shown(word: unknown): string | undefined {
    if (typeof word !== "string" || !/^[A-Za-z][A-Za-z0-9._ -]{0,39}$/.test(word)) {
      return undefined;
    }
    const lower = word.toLowerCase();
    return this.hidden.some((each) => each !== undefined && each !== "" && lower.includes(each.toLowerCase()))
      ? undefined
      : word;
  }

  /** Several of them, each once, and how many are left out. */
  list(words: readonly unknown[]): string {
    const all = [...new Set(words)];
    const shown = all.flatMap((word) => this.shown(word) ?? []);
    const left = all.length - shown.length;
    return [...shown, ...(left === 0 ? [] : [`${left} more, which could be data`])].join(", ");
  }
}

/** Names of fields that are part of the contract, of error bodies, or of actions. */
const knownFields = [
  "access_token code current data error error_description expires_in iserror issuccess message offset refresh_token requestid resttotal success",
  "token_type total actionid actions actiontype isappend loopitems loopname looptype name properties status subtaskid taskid value",
]
  .join(" ")
  .split(" ");

const deepest = 8;
const mostFields = 12;

/** The types in a JSON document, with the names of known fields; others become field1, field2. Within rows, all names are replaced. */
export function shapeOf(value: unknown, areRows = false, depth = 0): string {
  if (Array.isArray(value)) {
    const shapes = [...new Set(value.slice(0, 50).map((each) => shapeOf(each, areRows, depth + 1)))];
    const shown = shapes.slice(0, 3).join(" | ");
    return `[${shown}${shapes.length > 3 ? " | …" : ""}]`;
  }
  if (isRecord(value)) {
    if (depth >= deepest) {
      return "{…}";
    }
    let unknown = 0;
    const fields = Object.entries(value).map(([name, inner]) => {
      const isKnown = !areRows && knownFields.includes(name.toLowerCase());
      unknown += isKnown ? 0 : 1;
      // The rows of a page are `data` within `data`.
      const isListOfRows = name.toLowerCase() === "data" && depth > 0 && Array.isArray(inner);
      return `${isKnown ? name : `field${unknown}`}: ${shapeOf(inner, areRows || isListOfRows, depth + 1)}`;
    });
    return `{${fields.slice(0, mostFields).join(", ")}${fields.length > mostFields ? ", …" : ""}}`;
  }
  return value === null ? "null" : typeof value === "number" && Number.isInteger(value) ? "integer" : typeof value;
}
