import { readFileSync } from "node:fs";
import { join } from "node:path";

/** This package's version: two folders up from `src/service` as well as from `dist/service`. */
export const version: string = readVersion();

function readVersion(): string {
  const description: unknown = JSON.parse(readFileSync(join(__dirname, "..", "..", "package.json"), "utf8"));
  const found =
    typeof description === "object" && description !== null && "version" in description ? description.version : "";
  return typeof found === "string" ? found : "";
}
