import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { CliWorld, fakePulumi, program, shop } from "../../cli/test/webextract";
import { slowIt } from "../environment";
import { readPage } from "./readPage";

describe("the page about the command line", () => {
  let world: CliWorld;
  before(async () => {
    const open = { actionType: "NavigateAction", actionId: "open", properties: { Url: "https://shop.test/" } };
    world = await CliWorld.create({
      seed: { taskGroups: [{ taskGroupId: "shops" }], tasks: [{ ...shop, actions: [open] }] },
    });
  });
  after(() => world.remove());

  const runScript = async (script: string): Promise<string> => {
    const bin = world.path("bin");
    const { accessToken } = world.emulator.credentials;
    const config = {
      "webextract:baseUrl": { value: world.emulator.url },
      "webextract:accessToken": { value: accessToken, secret: true },
    };
    const path = fakePulumi(
      world,
      `console.log(process.argv[2] === "version" ? "v3.248.0" : ${JSON.stringify(JSON.stringify(config))});`,
    );
    // The package is not installed here.
    writeFileSync(`${bin}/npx`, `#!/bin/sh\nshift\nexec "${process.execPath}" "${program}" "$@"\n`);
    chmodSync(`${bin}/npx`, 0o755);
    const env = {
      PATH: path,
      HOME: world.folder,
      ...world.environment,
      WEBEXTRACT_REFRESH_TOKEN: world.emulator.credentials.refreshToken,
      TASK: shop.taskId,
      GROUP: "shops",
    };
    const file = join(__dirname, "../../examples/commandLine", script);
    return (await promisify(execFile)("sh", [file], { cwd: world.folder, env })).stdout;
  };

  it("shows commands that work in their order", async () => {
    const stdout = await runScript("daily.sh");
    assert.match(stdout, /No problem was found\./);
    assert.match(stdout, /5 of 25 rows\./);
    assert.match(stdout, /The new tokens are in /);
    assert.equal(readdirSync(world.path("rows")).length, 1);
  });

  slowIt("and the page about the first day shows commands that work", async () => {
    assert.match(await runScript("firstDay.sh"), /! probe: this service has not been probed/);
    const files = readdirSync(world.path("probed")).sort();
    assert.deepEqual(files, ["behaviours.yaml", "config.sh", "report.md", "responses.json"]);
  });

  slowIt("and the pages about adopting, manifests and CI show commands that work", async () => {
    writeFileSync(world.path("plan.json"), JSON.stringify({ steps: [] }));
    writeFileSync(world.path("tasks.csv"), `${shop.taskId},shop\n`);
    assert.match(await runScript("adopt.sh"), /1 task, no problem\./);
    assert.match(readFileSync(world.path("tasks.json"), "utf8"), /"name": "shop"/);
    assert.match(readFileSync(world.path("report.md"), "utf8"), /No changes\./);
    assert.deepEqual(readdirSync(world.path("tasks")), [`${shop.taskId}.yaml`]);
  });

  it("and the reference lists the fields of each JSON document", async () => {
    const [, section = ""] = readPage("docs/reference/cli.md").split("\n## JSON\n");
    const listed = (command: string): string[] => {
      const [, fields = ""] = new RegExp(`^- (?:.*, )?\`${command}\`.*?: (.*)$`, "m").exec(section) ?? [];
      // Without the fields of fields.
      return [...fields.replace(/ \(.*?\)/g, "").matchAll(/`(\w+)`/g)].map(([, name = ""]) => name);
    };
    writeFileSync(world.path("plan.json"), JSON.stringify({ steps: [] }));
    mkdirSync(world.path("manifests"));
    writeFileSync(world.path("manifests/one.yaml"), "from: { adoptTaskId: one }\n");
    const lines: Record<string, string> = {
      run: "run shop-1 --yes --no-wait",
      status: "status shop-1",
      stop: "stop shop-1 --yes",
      rows: "rows shop-1",
      export: "export shop-1 --out exported.ndjson",
      list: "list manifests",
      actions: "actions shop-1",
      adopt: "adopt shop-1 --types NavigateAction",
      validate: "validate manifests",
      rename: "rename one two manifests",
      "plan-report": "plan-report plan.json",
      doctor: "doctor",
      probe: "probe",
      "token status": "token status",
    };
    for (const [command, line] of Object.entries(lines)) {
      const { json, stderr } = await world.run(`${line} --json`);
      const unlisted = Object.keys(json()).filter((field) => !listed(command).includes(field));
      assert.deepEqual(unlisted, [], `${command}: ${stderr}`);
    }
  });
});
