import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ownPackage } from "../service/ownPackage";

/** The schema of the package, beside the bundle or in the folder of the package, with the version, which code generation needs. */
export function schemaText(): string {
  const files = [join(__dirname, "schema.json"), join(__dirname, "..", "..", "schema.json")];
  const file = files.find((each) => existsSync(each));
  const schema = file === undefined ? { name: "webextract" } : JSON.parse(readFileSync(file, "utf8"));
  return JSON.stringify({ ...schema, version: ownPackage.version });
}
