import type { Key } from "../../src/config/configKeys";
import { configKeys } from "../../src/config/configKeys";
import { describeShape } from "../../src/values/kinds";
import type { Parts } from "./parts";
import { table } from "./parts";

export const configurationPage = "docs/reference/configuration.md";

/** The tables of configuration keys: first those that say which account of which service, then the others. */
export function partsOfConfiguration(): Parts {
  const keys: [string, Key][] = Object.entries(configKeys);
  const tableOf = (isChosen: (key: Key) => boolean): string =>
    table(
      ["key", "environment variable", "value", "meaning", "default"],
      keys.flatMap(([name, key]) => {
        const { kind, allowed = describeShape(kind), environment, meaning, default: fallback = "", isSecret } = key;
        const row = [`\`${name}\``, `\`${environment}\``, allowed, meaning + (isSecret ? " (secret)" : ""), fallback];
        return isChosen(key) ? [row] : [];
      }),
    );
  return {
    command: "npm run docs",
    required: { "first keys": tableOf(isOfAccount), "other keys": tableOf((key) => !isOfAccount(key)) },
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
