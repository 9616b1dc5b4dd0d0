import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { slowIt } from "../../test/environment";
import { keys } from "./pseudoTerminal";
import { fakePulumi, useCliWorld } from "./webextract";

const fixture = join(__dirname, "../../test/realEngine/upgrade/fixtures/0.1.0/whole/stack.json");
const shown = {
  taskId: "shop-1",
  taskGroupId: "shops",
  actions: [{ actionType: "NavigateAction", actionId: "open", properties: { Url: "https://shop.test/" } }],
};

describe("a command whose question waits", () => {
  const world = useCliWorld({ seed: { taskGroups: [{ taskGroupId: "shops" }], tasks: [shown] } });

  /** Runs a command on a terminal, and answers yes after `meanwhile`. */
  async function answered(line: string, question: RegExp, meanwhile: () => unknown, env = {}, more = "") {
    const terminal = world.startOnTerminal(line.split(" "), { env, columns: 400 });
    await terminal.says(question);
    await meanwhile();
    terminal.press("y");
    if (more !== "") {
      await terminal.says(/Refresh token/);
      terminal.press(`${more}${keys.enter}`);
    }
    const code = await terminal.ended;
    return { code, text: terminal.text };
  }
  const read = (name: string): string => readFileSync(world.path(name), "utf8");

  it("imports no state that is older than the stack", async () => {
    writeFileSync(world.path("state.json"), readFileSync(fixture));
    const PATH = fakePulumi(
      world,
      `const fs = require("node:fs");
if (process.argv[3] === "export") process.stdout.write(fs.readFileSync("state.json"));
else fs.writeFileSync("state.json", fs.readFileSync(0));`,
    );
    // What an up does.
    const changed = read("state.json").replace('"modified": "2', '"modified": "3');
    const migrate = (meanwhile: () => unknown) => answered("migrate --stack dev", /Turn .*\?/, meanwhile, { PATH });
    const { code, text } = await migrate(() => writeFileSync(world.path("state.json"), changed));
    assert.equal(code, 1, text);
    assert.match(text, /The state of stack "dev" has changed in the meantime.* Nothing was changed\. Run the same/);
    assert.equal(read("state.json"), changed);
    assert.deepEqual(readdirSync(world.folder).sort(), ["bin", "state.json"]);
    const again = await migrate(() => undefined);
    assert.equal(again.code, 0, again.text);
    assert.doesNotMatch(read("state.json"), /pulumi-nodejs/);
  });

  it("adopts into no file that another program has changed, removed or made", async () => {
    const other = world.path("a.yaml");
    writeFileSync(other, "mine: 1\n");
    const adopt = (meanwhile: () => unknown) =>
      answered("adopt shop-1 --out a.yaml --types NavigateAction", /Replace a\.yaml\?/, meanwhile);
    const { code, text } = await adopt(() => writeFileSync(other, "mine: 2\n"));
    assert.equal(code, 1, text);
    assert.match(
      text,
      /"a\.yaml" cannot be written: another program has changed it in the meantime\. No file was written\. Run the same/,
    );
    assert.equal(read("a.yaml"), "mine: 2\n");
    const again = await adopt(() => undefined);
    assert.equal(again.code, 0, again.text);
    assert.match(read("a.yaml"), /adoptTaskId: shop-1/);
  });

  it("replaces no page of a comparison that another program has changed", async () => {
    for (const [name, price] of Object.entries({ "1.ndjson": 1, "2.ndjson": 2 })) {
      writeFileSync(world.path(name), `{"sku":"a","price":${price}}\n`);
    }
    writeFileSync(world.path("page.html"), "one");
    const line = "compare 1.ndjson 2.ndjson --key sku --html page.html";
    const question = /Replace the file page\.html\?/;
    const { code, text } = await answered(line, question, () => writeFileSync(world.path("page.html"), "two"));
    assert.equal(code, 1, text);
    assert.match(text, /another program has changed it in the meantime/);
    assert.equal(read("page.html"), "two");
  });

  slowIt("replaces no report of a probe that another program has changed or made, and shows the new one", async () => {
    const line = "probe --write --from shop-1 --group shops --out probed";
    await world.run(`${line} --yes`);
    const report = world.path("probed/report.md");
    writeFileSync(report, "one");
    const { code, text } = await answered(line, /Replaced in probed: report\.md, .*Continue\?/, () =>
      writeFileSync(report, "two"),
    );
    assert.equal(code, 1, text);
    assert.match(text, /report\.md" cannot be written: another program has changed it.*standard output/);
    assert.equal(read("probed/report.md"), "two");
  });

  it("imports no refresh token over one that another command has imported", async () => {
    const storeAlone = { WEBEXTRACT_ACCESS_TOKEN: undefined, WEBEXTRACT_API_KEY: undefined };
    const { refreshToken } = world.emulator.credentials;
    const other = async () => {
      const { code, stderr } = await world.run("token import --yes", storeAlone, refreshToken);
      assert.equal(code, 0, stderr);
      world.operations();
    };
    const { code, text } = await answered("token import", /Exchange the/, other, storeAlone, "token-of-mine-123");
    assert.equal(code, 1, text);
    assert.match(text, /Another command has imported a refresh token in the meantime\. Nothing was sent\./);
    assert.deepEqual(world.operations(), []);
  });
});
