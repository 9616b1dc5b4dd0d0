import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The schema of the package: beside the bundle, or in the folder of the package. */
export function schemaText(): string {
  const files = [join(__dirname, "schema.json"), join(__dirname, "..", "..", "schema.json")];
  const file = files.find((each) => existsSync(each));
  return file === undefined ? JSON.stringify({ name: "webextract" }) : readFileSync(file, "utf8");
}
