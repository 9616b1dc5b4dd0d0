import type { ArgSpecs, Shape } from "../resources/args";
import { entryOf } from "../resources/values";
import { isRecord } from "../service/isRecord";

/**
 * Whether arguments are as a program writes them: with a list, a number or a boolean where `check` makes one string. An import returns them so, because
 * the engine writes the program from them.
 */
export function isAsWritten(specs: ArgSpecs, args: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(args).some(([name, value]) => {
    const kind = entryOf(specs, name)?.kind;
    return kind !== undefined && isValueAsWritten(kind, value);
  });
}

function isValueAsWritten(kind: Shape, value: unknown): boolean {
  switch (kind.is) {
    case "list":
      return kind.isLines === true && Array.isArray(value);
    case "scalar":
      return typeof value === "number" || typeof value === "boolean";
    case "map":
      return isRecord(value) && Object.values(value).some((each) => isValueAsWritten(kind.of, each));
    case "object":
      return isRecord(value) && isAsWritten(kind.fields, value);
    default:
      return false;
  }
}
