import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packSdks } from "../../../scripts/schema/generateSdks";
import { readPage } from "../../pages/readPage";
import { TemplateLife } from "./templateLife";

describe("the template go, with the SDK from its tarball", function () {
  this.timeout(900_000);
  let life: TemplateLife;
  before(async () => {
    life = await TemplateLife.create("go", "go", "main.go");
    const release = join(life.folder, "..", "release");
    await packSdks(release, "0.1.0");
    const commands = readPage("templates/go/README.md").match(/^mkdir sdk .*\n(?:go .*\n)+/m)?.[0] ?? "";
    await life.shell(commands.replace("../pulumi-webextract/release", release));
  });
  after(() => life.remove());

  it("is a module with the name of the project, whose SDK says which plugin to install", async () => {
    assert.match(readFileSync(join(life.folder, "go.mod"), "utf8"), /^module my-shop$/m);
    // It also looks for a plugin of a module that Pulumi's SDK needs, which this machine need not reach.
    const { output } = await life.shell("pulumi plugin install || true");
    assert.match(output, /\[resource plugin webextract-0\.1\.0\] installing/);
  });

  it("extracts the books, changes nothing in a second up, and runs again after a change", async () => {
    await life.live();
    await life.liveOn("WaitFor");
    await life.destroy();
  });
});
