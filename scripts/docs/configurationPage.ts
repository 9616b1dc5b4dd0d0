import type { Key } from "../../src/config/configKeys";
import { configKeys } from "../../src/config/configKeys";
import { describeShape } from "../../src/values/kinds";
import type { Parts } from "./parts";
import { list } from "./parts";

export const configurationPage = "docs/reference/configuration.md";

/** The configuration keys: first those that say which account of which service, then the others. */
export function partsOfConfiguration(): Parts {
  const keys: [string, Key][] = Object.entries(configKeys);
  const listOf = (isChosen: (key: Key) => boolean): string =>
    list(
      keys.flatMap(([name, key]): [string, string, string][] => {
        const { kind, allowed = describeShape(kind), environment, meaning, default: fallback, isSecret } = key;
        // The page says once how lists are written.
        const value = allowed.replace(", as JSON or with commas", "");
        const byDefault = fallback === undefined || fallback === "required" ? fallback : `default ${fallback}`;
        const brackets = [`\`${environment}\``, value, ...(byDefault === undefined ? [] : [byDefault])].join("; ");
        return isChosen(key) ? [[name, brackets, meaning + (isSecret ? " (secret)" : "")]] : [];
      }),
    );
  return {
    command: "npm run docs",
    required: { "first keys": listOf(isOfAccount), "other keys": listOf((key) => !isOfAccount(key)) },
  };
}

export const registryPage = "docs/installation-configuration.md";

/** All keys in a line, for Pulumi's registry. */
export function partsOfRegistry(): Parts {
  const keys = Object.entries<Key>(configKeys).map(([name, { isSecret, default: fallback }]) => {
    const mark = isSecret ? " (secret)" : fallback === "required" ? " (required)" : "";
    return `\`${name}\`${mark}`;
  });
  return { command: "npm run docs", required: { keys: `Keys: ${keys.join(", ")}.` } };
}

function isOfAccount({ inProfile }: Key): boolean {
  return inProfile === true;
}
