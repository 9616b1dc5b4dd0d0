import { environmentVariables } from "../service/environment";
import { likelyName } from "../values/words";
import { configKeys } from "./configKeys";

const prefix = "WEBEXTRACT_";
const known = new Set([
  ...Object.values(configKeys).map(({ environment }) => environment),
  ...Object.keys(environmentVariables),
  // The emulator and its clients.
  "WEBEXTRACT_EMULATOR_ADMIN_TOKEN",
  "WEBEXTRACT_EMULATOR_URL",
]);

/** Variables with the package's prefix that nothing reads: `misspelled` with the likely name, and the others. */
export function unreadVariables(environment: NodeJS.ProcessEnv): { misspelled: string[]; others: string[] } {
  const names = Object.keys(environment).filter((name) => name.startsWith(prefix) && !known.has(name));
  const ends = [...known].map((name) => name.slice(prefix.length));
  const likely = names.map((name) => [name, likelyName(name.slice(prefix.length), ends)] as const);
  return {
    misspelled: likely.flatMap(([name, end]) =>
      end === undefined ? [] : [`${name} is not known; did you mean ${prefix}${end}?`],
    ),
    others: likely.flatMap(([name, end]) => (end === undefined ? [name] : [])),
  };
}

/** Names all of them in one warning; undefined if there are none. */
export function describeUnread(names: readonly string[]): string | undefined {
  return names.length === 0
    ? undefined
    : `Nothing reads ${names.join(", ")} of the environment. Known: ${[...known].join(", ")}.`;
}
