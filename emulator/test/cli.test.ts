import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isLarge, slowIt } from "../../test/environment";
import { runTemplate, startWith } from "./caller";
import { emulator } from "./emulatorProcess";
import { savedState } from "./savedState";

describe("webextract-emulator", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "emulator-cli-"));
  });
  after(() => rmSync(folder, { recursive: true }));

  it("prints its settings, responds, logs each request, and stops with its state on disk", async () => {
    const state = join(folder, "state.db");
    const seed = join(folder, "seed.yaml");
    writeFileSync(
      seed,
      "taskGroups: [{taskGroupId: shops}]\ntasks: [{taskId: shop, taskGroupId: shops, actions: []}]\n",
    );
    for (const signal of isLarge ? (["SIGTERM", "SIGINT"] as const) : (["SIGTERM"] as const)) {
      const running = emulator("--port", "0", "--state", state, "--seed", seed);
      const url = await running.says(/webextract:baseUrl (http:\S+)/);
      const token = await running.says(/--secret webextract:accessToken (\S+)/);
      assert.match(running.output(), /Task groups: shops\. Tasks: shop/);
      const response = await fetch(`${url}/task/copy?taskId=shop&taskGroupId=shops`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}` },
      });
      const { data } = (await response.json()) as { data: { taskId: string } };
      await running.says(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z POST \/task\/copy\?taskId=shop&taskGroupId=shops 200 /m);
      running.process.kill(signal);
      assert.equal(await running.ended, 0);
      assert.ok((await savedState(state)).tasks.some(({ taskId }) => taskId === data.taskId));
      assert.equal(running.output().split(token).length, 2, "a credential is printed once");
    }
  });

  it("prints an address that clients of this machine reach, also if it listens on all addresses", async () => {
    const running = emulator("--port", "0", "--host", "0.0.0.0");
    const url = await running.says(/listens on (http:\S+);/);
    assert.match(url, /^http:\/\/127\.0\.0\.1:/);
    assert.equal((await fetch(`${url}/__emulator/health`)).status, 200);
    running.process.kill("SIGTERM");
    await running.ended;
  });

  it("uses the behaviours and the plan of its options", async () => {
    const behaviour = ["--behaviour", "errorBody=legacy", "errorStatus=all400", "--behaviour", "dataPageMax=2"];
    const running = emulator("--port", "0", "--plan", "free", ...behaviour);
    const url = await running.says(/webextract:baseUrl (http:\S+)/);
    const response = await fetch(`${url}/data/all`);
    assert.equal(response.status, 400);
    assert.equal(((await response.json()) as { error: unknown }).error, "Invalid.Token");
    running.process.kill("SIGTERM");
    await running.ended;
  });

  it("refuses a wrong option with one message that lists the allowed values", async () => {
    const broken = join(folder, "broken.yaml");
    writeFileSync(broken, "credentials: {accessToken: s3cret\n");
    const wrong = join(folder, "wrong.yaml");
    writeFileSync(wrong, "taskGroups: []\ntasks: []\ncredentials: {token: s3cret}\n");
    const deep = join(folder, "deep.yaml");
    const action = "{actionType: a, actionId: b, properties: {Url: 7}}";
    writeFileSync(deep, `taskGroups: []\ntasks:\n  - taskId: shop\n    actions:\n      - ${action}\n`);
    const cases: [string[], RegExp][] = [
      [["--behaviour", "markScope=all"], /markScope cannot be "all"; allowed: task, returned/],
      [["--behaviour", "colour=red"], /unknown behaviour "colour"; known: errorBody/],
      [["--port", "70000"], /an integer from 0 to 65535/],
      [["--site", join(folder, "none")], /the folder \S+none of the site does not exist/],
      [["--plan", "gold"], /free, professional, enterprise/],
      [["--colour"], /unknown option '--colour'/],
      [["--seed", join(folder, "none.yaml")], /ENOENT/],
      [["--seed", broken], /not valid YAML \(BAD_INDENT, line 2, column 1\)/],
      [["--seed", wrong], /- line 3, column 15: \/credentials must NOT have additional properties \(token\)/],
      [
        ["--seed", deep],
        /- line 3, column 5: task 1: \/tasks\/0 must have required property 'taskGroupId'\n- line 5, column 56: task 1, action 1, property Url: \/tasks\/0\/actions\/0\/properties\/Url must be string/,
      ],
      [["--state", broken], /is neither a database nor JSON/],
    ];
    const tried = cases.filter((_, index) => isLarge || index % 3 === 0);
    const ended = tried.map(async ([args, message]) => {
      const running = emulator("--port", "0", ...args);
      assert.equal(await running.ended, 1, args.join(" "));
      assert.match(running.output(), message);
      assert.doesNotMatch(running.output(), /s3cret|listens/);
    });
    await Promise.all(ended);
    assert.ok(existsSync(broken));
  });

  slowIt("exports the state of a state file, and imports it", async () => {
    const state = join(folder, "exported.db");
    const first = await startWith([], { stateFile: state });
    await runTemplate(first);
    first.change.insertRows("template", ['{"text":"\\u0000ä"}', "{\n}"]);
    const document = first.exportState();
    const during = emulator("export", state);
    assert.equal(await during.ended, 1);
    assert.match(during.output(), /another emulator uses the state file/);
    await first.close();

    const printed = emulator("export", state);
    assert.equal(await printed.ended, 0);
    assert.deepEqual(JSON.parse(printed.output()), document);
    const file = join(folder, "exported.json");
    assert.equal(await emulator("export", state, file).ended, 0);
    assert.equal(readFileSync(file, "utf8"), printed.output());
    assert.equal(statSync(file).mode & 0o777, 0o600);

    const copy = join(folder, "imported.db");
    assert.equal(await emulator("import", copy, file).ended, 0);
    assert.deepEqual(await savedState(copy), document);
    const again = emulator("import", copy, file);
    assert.equal(await again.ended, 1);
    assert.match(again.output(), /imported\.db exists: name another file, or add --replace/);
    assert.equal(await emulator("import", "--replace", copy, file).ended, 0);
  });

  it("changes no state file for a document that is not valid", async () => {
    const state = join(folder, "kept.db");
    await (await startWith([], { stateFile: state })).close();
    const before = readFileSync(state);
    const file = join(folder, "invalid.json");
    writeFileSync(file, JSON.stringify({ format: "webextract-emulator", version: 1, tasks: [7] }));
    const wrong = emulator("import", "--replace", state, file);
    assert.equal(await wrong.ended, 1);
    assert.match(wrong.output(), /the document is damaged: .*\/tasks\/0 must be object/);
    assert.deepEqual(readFileSync(state), before);
    const absent = emulator("export", join(folder, "absent.db"), join(folder, "absent.json"));
    assert.equal(await absent.ended, 1);
    assert.match(absent.output(), /absent\.db does not exist/);
    assert.equal(existsSync(join(folder, "absent.json")), false);
  });

  it("refuses a document that is too long before reading it", async () => {
    const file = join(folder, "long.json");
    writeFileSync(file, "");
    truncateSync(file, 600 * 1024 * 1024);
    const running = emulator("import", join(folder, "long.db"), file);
    assert.equal(await running.ended, 1);
    assert.match(
      running.output(),
      /^error: .*long\.json has 600 MB, and a document can have at most 512 MB\. Action: copy the state file itself/,
    );
    assert.equal(existsSync(join(folder, "long.db")), false);
  });

  it("lists its behaviours", async () => {
    const running = emulator("--list-behaviours");
    assert.equal(await running.ended, 0);
    assert.match(running.output(), /^errorBody=envelope, legacy, html, empty$/m);
  });

  it("names the port that is in use", async () => {
    const first = emulator("--port", "0");
    const port = new URL(await first.says(/webextract:baseUrl (http:\S+)/)).port;
    const second = emulator("--port", port);
    assert.equal(await second.ended, 1);
    assert.match(second.output(), /is in use: choose another port with --port/);
    first.process.kill("SIGTERM");
    await first.ended;
  });
});
