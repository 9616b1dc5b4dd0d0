import type { Shape } from "../../src/values/kinds";
import { entryOf, isRecord } from "../../src/values/plain";

/**
 * Whether arguments are as a program writes them: with a list, a number or a boolean where `check` makes one string. An
 * import returns them so, because the engine writes the program from them.
 */
export function isAsWritten(shape: Shape | undefined, value: unknown): boolean {
  switch (shape?.is) {
    case "list":
      return shape.isLines === true && Array.isArray(value);
    case "scalar":
      return typeof value === "number" || typeof value === "boolean";
    case "map":
      return isRecord(value) && Object.values(value).some((each) => isAsWritten(shape.of, each));
    case "object": {
      const given = isRecord(value) ? Object.entries(value) : [];
      return given.some(([name, each]) => isAsWritten(entryOf(shape.fields, name)?.kind, each));
    }
    default:
      return false;
  }
}
