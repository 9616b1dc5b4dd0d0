import { parsedJson } from "../service/parsedJson";
import type { Problem, Shape } from "../values/kinds";
import { checkValue } from "../values/kinds";

const booleans = new Map([
  ["true", true],
  ["false", false],
]);

/**
 * The value that the string of a key stands for. In Pulumi and in the environment, every value is a string: a list is one as JSON or with commas, a map as
 * JSON.
 * @returns undefined if the kind does not allow it
 */
export function parse(kind: Shape, raw: string): unknown {
  const problems: Problem[] = [];
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
      return raw.trimStart().startsWith("[") ? parsedJson(raw) : raw.split(",").map((item) => item.trim());
    case "any":
      return booleans.get(raw.toLowerCase()) ?? plainValue({ is: "list", of: kind }, raw);
    case "map":
    case "object":
      return parsedJson(raw);
    default:
      return raw;
  }
}
