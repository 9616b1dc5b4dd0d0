/** `npm run openapi`: the types of the emulator's two contracts, in `emulator/src/generated`, which git ignores. Each build makes them first. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot, runTool } from "./commands";

/** What the types are made of: the contracts, the settings of the generator, and its version. */
const inputs = [
  "emulator/openapi.yaml",
  "emulator/admin.openapi.yaml",
  "emulator/redocly.yaml",
  "package-lock.json",
  "scripts/openapi.ts",
];

/** The file with the digest of the input. */
const stamp = join(repositoryRoot, "emulator", "src", "generated", ".inputs");

/** Each schema is a type of its own too, which an interface can extend. */
const options = ["--redocly", "emulator/redocly.yaml", "--root-types", "--root-types-no-schema-prefix"];

/** Resolves with what is wrong; an empty string on success. */
export async function generateTypes(): Promise<string> {
  const { code, output } = await runTool("openapi-typescript", options);
  if (code !== 0) return output;
  writeFileSync(stamp, digest());
  return "";
}

/** Generates the types unless they are up to date. Resolves as {@link generateTypes} does. */
export async function generateTypesIfStale(): Promise<string> {
  return existsSync(stamp) && readFileSync(stamp, "utf8") === digest() ? "" : await generateTypes();
}

/** Resolves with a message if somebody has changed the types, or could not generate them. */
export async function checkTypes(): Promise<string> {
  const { code } = await runTool("openapi-typescript", [...options, "--check"]);
  return code === 0 ? "" : "The types are out of date. Run: npm run openapi";
}

function digest(): string {
  const hash = createHash("sha256");
  for (const file of inputs) hash.update(readFileSync(join(repositoryRoot, file)));
  return hash.digest("hex");
}

if (require.main === module) {
  generateTypes().then((problems) => {
    if (problems !== "") {
      console.error(problems);
      process.exitCode = 1;
    }
  });
}
