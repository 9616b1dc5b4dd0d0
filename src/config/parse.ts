import { parsedJson } from "../service/parsedJson";
import type { Problem, Shape } from "../values/kinds";
import { checkValue, id, list } from "../values/kinds";

/** Another word for a boolean: as the id of a task, it would allow nothing. */
const isNoId = /^(?:yes|no|y|n|on|off|all|none|null|\*|[01]|'.*)$/is;
const ids = list(id, { mayBeEmpty: true });

const booleans = new Map([
  ["true", true],
  ["false", false],
]);

/**
 * The value that the string of a key stands for. In Pulumi and in the environment, every value is a string: a list is
 * one as JSON or with commas, a map as JSON.
 * @returns undefined if the kind does not allow it
 */
export function parse(kind: Shape, raw: string, problems: Problem[] = []): unknown {
  const value = checkValue(kind, plainValue(kind, raw), "", problems);
  return problems.length === 0 ? value : undefined;
}

function plainValue(kind: Shape, raw: string): unknown {
  switch (kind.is) {
    case "boolean":
      return booleans.get(raw.toLowerCase());
    case "number":
      return raw.trim() === "" ? undefined : Number(raw);
    case "list":
      return /^\s*[[{"]/.test(raw) ? parsedJson(raw) : raw.split(",").map((item) => item.trim());
    case "any":
      return booleans.get(raw.trim().toLowerCase()) ?? (isNoId.test(raw.trim()) ? undefined : parse(ids, raw));
    case "map":
    case "object":
      return parsedJson(raw);
    default:
      return raw;
  }
}
