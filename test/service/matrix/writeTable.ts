import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pageOf, singleVerdicts } from "./table";

async function main(): Promise<void> {
  writeFileSync(join(__dirname, "../../../docs/reference/behaviours.md"), pageOf(await singleVerdicts()));
}

void main();
