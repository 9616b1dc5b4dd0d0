import type { Key } from "../../src/config/configKeys";
import { configKeys } from "../../src/config/configKeys";

const head = "| key | environment variable | value | meaning | default |\n|---|---|---|---|---|\n";

/** A page with its table of configuration keys as the descriptions of the keys have it. */
export function withConfigTable(page: string): string {
  const keys: [string, Key][] = Object.entries(configKeys);
  const rows = keys.map(([name, key]) => {
    const { kind, environment, meaning, default: fallback = "", isSecret } = key;
    return `| \`${name}\` | \`${environment}\` | ${kind.allowed} | ${meaning}${isSecret ? " (secret)" : ""} | ${fallback} |\n`;
  });
  return page.replace(/^\| key \| environment variable \|.*\n(?:\|.*\n)*/m, () => head + rows.join(""));
}
