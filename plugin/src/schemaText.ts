import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ownPackage } from "../../src/system/ownPackage";

/**
 * The schema of the package, beside the bundle or in the folder of the package, with the version, which code generation
 * needs.
 */
export function schemaText(): string {
  return JSON.stringify({ ...ownSchema(), version: ownPackage.version });
}

/** Where the engine gets the plugin, as the SDKs name it. */
export function pluginDownloadUrl(): string {
  return ownSchema().pluginDownloadURL ?? "";
}

/** Without its version. */
export function ownSchema(): { name: string; pluginDownloadURL?: string } {
  const files = [join(__dirname, "schema.json"), join(__dirname, "..", "..", "plugin", "schema.json")];
  const file = files.find((each) => existsSync(each));
  return file === undefined ? { name: "webextract" } : JSON.parse(readFileSync(file, "utf8"));
}
