/**
 * `npm run engine`: makes the Pulumi engine available and prints where it is. `--languages yaml,python,go` adds language hosts. `--version 3.276.0` makes
 * another version beside that of the tests, `--version newest` the newest. With `--print-path`, prints only the folder for PATH.
 */
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { NoEngine } from "./engine";
import { ensureEngine } from "./ensureEngine";
import { newestEngine } from "./goBuild";
import type { Language } from "./hosts";
import { ensureHosts, languages } from "./hosts";

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      "print-path": { type: "boolean" },
      languages: { type: "string", default: "" },
      version: { type: "string" },
    },
  });
  const wanted = values.languages.split(",").filter((each) => each !== "");
  const unknown = wanted.filter((each) => !languages.some((known) => known === each));
  if (unknown.length > 0) {
    throw new NoEngine(`--languages cannot be ${unknown.join(", ")}; allowed: ${languages.join(", ")}`);
  }
  const engine = await ensureEngine({ version: await versionOf(values.version) });
  await ensureHosts(engine, wanted as Language[]);
  const folder = dirname(engine.pulumi);
  console.log(
    values["print-path"]
      ? folder
      : `Pulumi ${engine.version}, found by ${engine.source}: ${folder}\nTo have the command pulumi in this terminal: export PATH="${folder}:$PATH"`,
  );
}

async function versionOf(wanted: string | undefined): Promise<string | undefined> {
  if (wanted === undefined || wanted === "newest") {
    return wanted && (await newestEngine());
  }
  if (!/^3\.\d+\.\d+$/.test(wanted)) {
    throw new NoEngine(`--version must be newest, or a version of Pulumi 3 such as 3.276.0; got ${wanted}`);
  }
  return wanted;
}

main().catch((error: unknown) => {
  console.error(error instanceof NoEngine ? error.message : error);
  process.exitCode = 1;
});
