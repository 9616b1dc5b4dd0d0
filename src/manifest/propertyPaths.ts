import type { ArgSpecs } from "../resources/args";
import type { Shape } from "../values/kinds";
import { didYouMean } from "../values/words";

/** An element of a property path: a name, an index or any element. */
const elements = /\.?([^.[\]"]+)|\[(\d+|\*)\]|\["((?:[^"\\]|\\.)+)"\]/y;

/**
 * What is wrong with a property path of an option. The engine ignores such a path without a word.
 * @param fields the arguments of the resource
 */
export function problemOfPath(path: string, fields: ArgSpecs): string | undefined {
  let shape: Shape | undefined = { is: "object", fields };
  for (let at = 0; at < path.length; at = elements.lastIndex) {
    elements.lastIndex = at;
    const [element, name, index, quoted] = elements.exec(path) ?? [];
    if (element === undefined || (at === 0 && element.startsWith("."))) {
      return `is not a property path, such as actions.open.properties.Url or actions["a.b"]: column ${at + 1} of "${path}"`;
    }
    const key = name ?? quoted ?? index ?? "";
    if (shape?.is === "object" && key !== "*") {
      if (!Object.hasOwn(shape.fields, key)) {
        const names = Object.keys(shape.fields);
        return `names "${key}", which is no argument here${didYouMean(key, names) || `; valid names: ${names.join(", ")}`}`;
      }
      shape = shape.fields[key]?.kind;
    } else {
      shape = shape?.is === "map" || shape?.is === "list" ? shape.of : undefined;
    }
  }
  return undefined;
}
