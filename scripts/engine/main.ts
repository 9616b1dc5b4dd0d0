/** `npm run engine`: makes the Pulumi engine available and prints where it is. With `--print-path`, prints only the folder for PATH. */
import { dirname } from "node:path";
import { NoEngine } from "./engine";
import { ensureEngine } from "./ensureEngine";

ensureEngine()
  .then((engine) => {
    const folder = dirname(engine.pulumi);
    console.log(
      process.argv.includes("--print-path") ? folder : `Pulumi ${engine.version}, found by ${engine.source}: ${folder}`,
    );
  })
  .catch((error: unknown) => {
    console.error(error instanceof NoEngine ? error.message : error);
    process.exitCode = 1;
  });
