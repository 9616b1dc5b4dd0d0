/**
 * `npm run engine`: makes the Pulumi engine available and prints where it is. `--languages yaml,python,go` adds language hosts. With `--print-path`, prints
 * only the folder for PATH.
 */
import { dirname } from "node:path";
import { parseArgs } from "node:util";
import { NoEngine } from "./engine";
import { ensureEngine } from "./ensureEngine";
import type { Language } from "./hosts";
import { ensureHosts, languages } from "./hosts";

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { "print-path": { type: "boolean" }, languages: { type: "string", default: "" } },
  });
  const wanted = values.languages.split(",").filter((each) => each !== "");
  const unknown = wanted.filter((each) => !languages.some((known) => known === each));
  if (unknown.length > 0) {
    throw new NoEngine(`--languages cannot be ${unknown.join(", ")}; allowed: ${languages.join(", ")}`);
  }
  const engine = await ensureEngine();
  await ensureHosts(engine, wanted as Language[]);
  const folder = dirname(engine.pulumi);
  console.log(
    values["print-path"]
      ? folder
      : `Pulumi ${engine.version}, found by ${engine.source}: ${folder}\nTo have the command pulumi in this terminal: export PATH="${folder}:$PATH"`,
  );
}

main().catch((error: unknown) => {
  console.error(error instanceof NoEngine ? error.message : error);
  process.exitCode = 1;
});
