import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { engineVersion } from "../../../scripts/engine/engine";
import { packSdks } from "../../../scripts/schema/generateSdks";
import { TemplateLife } from "./templateLife";

describe("the template python, with the SDK from its tarball", function () {
  this.timeout(900_000);
  let life: TemplateLife;
  before(async () => {
    life = await TemplateLife.create("python", "python");
    const files = await packSdks(join(life.folder, "sdk"), "0.1.0");
    const sdk = files.find((file) => file.includes("python"));
    const run = (command: string) => promisify(execFile)("bash", ["-ec", command], { cwd: life.folder });
    await run("python3 -m venv venv");
    await run(`venv/bin/pip install -q -r requirements.txt pulumi==${engineVersion} ${sdk}`);
  });
  after(() => life.remove());

  it("extracts the books, changes nothing in a second up, and runs again after a change", async () => {
    await life.live({ file: "__main__.py", from: '"MaxPages": 2', to: '"MaxPages": 3' });
    await life.destroy();
  });
});
