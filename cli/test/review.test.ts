import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { slowIt } from "../../test/environment";
import { hostileMarkdown, hostileTerminal } from "../../test/hostile";
import type { Ended } from "./webextract";
import { fakePulumi, shop, useCliWorld } from "./webextract";

type Values = Record<string, unknown>;

const old = [
  { sku: "1", title: "One", price: "2.50" },
  { sku: "2", title: "Two", price: "3.50" },
];
const now = [
  { sku: "1", title: "One", price: "" },
  { sku: "2", title: "Two", price: "" },
  { sku: "3", title: "Three", price: "" },
];

/** A resource as a state has it. */
function resource(stack: string, type: string, name: string, rest: Values): Values {
  const urn = `urn:pulumi:${stack}::p::pulumi-nodejs:dynamic/webextract:${type}::${name}`;
  return { urn, type: "pulumi-nodejs:dynamic/webextract", ...rest };
}

const sources = (stack: string, type: string, name: string): string[] => [
  `urn:pulumi:${stack}::p::pulumi-nodejs:dynamic/webextract:${type}::${name}`,
];

describe("webextract review", () => {
  const world = useCliWorld();
  const states = new Map<string, Values[]>();
  beforeEach(() => {
    states.clear();
  });

  interface Given {
    name?: string;
    taskId?: string;
    lotNo?: string;
    /** Rows of the file. Without rows there is no file, and its digest is that of another. */
    rows?: readonly Values[];
    file?: string;
    pages?: string;
    inputs?: Values;
    outputs?: Values;
    /** LotNo of the last run. */
    runs?: string;
    label?: string;
  }

  /** A task with a run and an export in the state of a stack. */
  function declare(stack: string, given: Given = {}): void {
    const { name = "books", taskId = `${stack}-${name}`, lotNo = `${stack}1`, pages = "2" } = given;
    const text = given.rows?.map((row) => `${JSON.stringify(row)}\n`).join("");
    const file = given.file ?? `${stack}-${name}.ndjson`;
    if (text !== undefined) {
      writeFileSync(world.path(file), text);
    }
    const sha256 = createHash("sha256")
      .update(text ?? "another")
      .digest("hex");
    const ofTask = { taskId: sources(stack, "ExtractionTask", name) };
    states.set(stack, [
      ...(states.get(stack) ?? []),
      resource(stack, "ExtractionTask", name, {
        id: taskId,
        inputs: { from: { sourceTaskId: "template" }, actions: { pages: { properties: { MaxPages: pages } } } },
        outputs: { taskId },
      }),
      resource(stack, "CloudRun", name, {
        id: given.runs ?? lotNo,
        inputs: { taskId, rerunOn: [`ExtractionTask ${name} ${stack}`], runLabel: given.label },
        outputs: { taskId, lotNo: given.runs ?? lotNo, status: "finished", runLabel: given.label },
        propertyDependencies: ofTask,
      }),
      resource(stack, "DataExport", name, {
        id: file,
        inputs: { taskId, lotNo, path: "rows.ndjson", scope: "batch", ...given.inputs },
        outputs: { taskId, lotNo, file, sha256, rowCount: given.rows?.length ?? 25, complete: true, ...given.outputs },
        propertyDependencies: { ...ofTask, lotNo: sources(stack, "CloudRun", name) },
      }),
    ]);
  }

  function moveToNative(stack: string): void {
    const text = JSON.stringify(states.get(stack)).replaceAll("pulumi-nodejs:dynamic/webextract:", "webextract:index:");
    states.set(stack, JSON.parse(text));
  }

  function review(line = "", more: Record<string, string | undefined> = {}, input = ""): Promise<Ended> {
    const { accessToken, apiKey } = world.emulator.credentials;
    const config = {
      "webextract:baseUrl": { value: world.emulator.url },
      "webextract:accessToken": { value: accessToken, secret: true },
      "webextract:apiKey": { value: apiKey, secret: true },
    };
    const answers = Object.fromEntries(
      ["prod", "trial"].map((stack) => {
        const deployment = { resources: states.get(stack) ?? [] };
        return [stack, { config, stack: { version: 3, deployment } }];
      }),
    );
    writeFileSync(world.path("answers.json"), JSON.stringify(answers));
    const code = `console.log(JSON.stringify(JSON.parse(require("node:fs").readFileSync("answers.json", "utf8"))[process.argv.at(-1)][process.argv[2]]));`;
    const env = { PATH: fakePulumi(world, code), WEBEXTRACT_BASE_URL: undefined, WEBEXTRACT_ACCESS_TOKEN: undefined };
    const args = ["review", "--base-stack", "prod", "--head-stack", "trial", ...line.split(" ").filter(Boolean)];
    return world.run(args, { ...env, ...more }, input);
  }

  it("shows the configuration first, then the rows of each export that differs in its run", async () => {
    declare("prod", { rows: old, label: "night", inputs: { checks: { fields: { sku: { unique: true } } } } });
    declare("trial", { rows: now, label: "pr-1-abc", pages: "3" });
    const ended = await review();
    assert.equal(ended.code, 0, ended.stderr);
    assert.equal(
      ended.stdout,
      `## Configuration

From stack \`prod\` to stack \`trial\`: 2 to update.

### Task \`books\` (\`prod-books\`)

**update** ExtractionTask \`books\`

| property | old | new |
|---|---|---|
| \`actions.pages.properties.MaxPages\` | \`2\` | \`3\` |

**update** DataExport \`books\`

| property | old | new |
|---|---|---|
| \`checks.fields.sku.unique\` | \`true\` |  |

## Rows

### Export \`books\`

- Base: \`prod-books.ndjson\`, 2 rows
- Head: \`trial-books.ndjson\`, 3 rows (+1, +50%)
- 3 fields, 0 gone, 0 added
- Key: \`sku\`
- Rows: 1 added, 0 removed, 2 changed, 0 unchanged
- Added: \`3\`
- \`Run of stack "prod" under the label night.\`
- \`Run of stack "trial" under the label pr-1-abc.\`

| field | changed rows | filled | distinct |
|---|---|---|---|
| \`price\` | 2 | 100% -> 0% | 2 -> 0 |
| \`sku\` | 0 | 100% | 2 -> 3 |
| \`title\` | 0 | 100% | 2 -> 3 |

| field | key | old | new |
|---|---|---|---|
| \`price\` | \`1\` | \`2.50\` | none |
| \`price\` | \`2\` | \`3.50\` | none |
`,
    );
    assert.deepEqual(world.operations(), []);
  });

  it("compares the batch of a run whose file is gone, or is that of another export, and marks nothing", async () => {
    const first = await world.finishedRun();
    const second = await world.finishedRun();
    world.operations();
    declare("prod", { taskId: shop.taskId, lotNo: first, file: "rows.ndjson" });
    declare("trial", { lotNo: second, file: "rows.ndjson", rows: now });
    const ended = await review("--json");
    assert.equal(ended.code, 0, ended.stderr);
    const [compared] = ended.json().exports;
    assert.deepEqual([compared.base.rows, compared.head.rows], [25, 3]);
    assert.deepEqual(new Set(world.operations()), new Set(["getSubtasks", "getBatchData"]));
    assert.match(ended.json().markdown, new RegExp(`^- Base: \`shop-1:${first}\`, 25 rows$`, "m"));
  });

  it("names what is not comparable, and compares the rest", async () => {
    declare("prod", { taskId: "removed" });
    declare("trial", { rows: now });
    declare("prod", { name: "empty", taskId: shop.taskId, lotNo: "123" });
    declare("trial", { name: "empty", rows: now });
    declare("prod", { name: "whole", outputs: { lotNo: undefined } });
    declare("trial", { name: "whole", rows: now });
    declare("prod", { name: "offers", rows: old });
    declare("trial", { name: "offers", rows: now });
    const ended = await review();
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stdout, /^- not comparable: `books`: `.* refuses the batch: task removed does not exist`$/m);
    assert.match(ended.stdout, /^- not comparable: `empty`: `.* refuses the batch: task shop-1 has no batch 123`$/m);
    assert.match(ended.stdout, /^- not comparable: `whole`: `.*has no batch`$/m);
    assert.match(ended.stdout, /^### Export `offers`$/m);
    const failed = await review("--fail-on rows<-10%");
    assert.equal(failed.code, 1);
    assert.match(failed.stdout, /^> \[!CAUTION\]\n> - `books`: `--fail-on` failed: `not comparable`$/m);
  });

  it("fails under --fail-on for an export that the head lacks, unless the plan deletes it", async () => {
    declare("prod", { name: "books", rows: old });
    declare("prod", { name: "offers", rows: old });
    declare("trial", { name: "offers", rows: old });
    assert.equal((await review()).code, 0);
    const failed = await review("--fail-on rows<-10%");
    assert.equal(failed.code, 1);
    assert.match(failed.stdout, /^> \[!CAUTION\]\n> - `books`: `--fail-on` failed: `not in the head stack`\n\n/);
    for (const [op, code] of [
      ["update", 1],
      ["delete", 0],
    ] as const) {
      const own = states.get("prod")?.[2];
      writeFileSync(world.path("plan.json"), JSON.stringify({ steps: [{ op, urn: own?.urn, oldState: own }] }));
      assert.equal((await review("--plan plan.json --fail-on rows<-10%")).code, code, op);
    }
  });

  it("names an object that the store refuses, and compares the rest", async () => {
    const store = createServer((_request, response) => response.writeHead(403).end()).listen(0, "127.0.0.1");
    await once(store, "listening");
    try {
      declare("prod", { name: "kept", rows: old });
      declare("trial", { name: "kept", file: "s3://rows-bucket/kept.ndjson" });
      declare("prod", { name: "offers", rows: old });
      declare("trial", { name: "offers", rows: now });
      const endpoint = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
      const keys = { AWS_ACCESS_KEY_ID: "a", AWS_SECRET_ACCESS_KEY: "b", AWS_REGION: "us-east-1" };
      const ended = await review("", {
        ...keys,
        AWS_ENDPOINT_URL_S3: endpoint,
        WEBEXTRACT_S3_FORCE_PATH_STYLE: "true",
      });
      assert.equal(ended.code, 0, ended.stderr);
      assert.match(
        ended.stdout,
        /^- not comparable: `kept`: `HeadObject of "s3:\/\/rows-bucket\/kept\.ndjson" failed: .*`$/m,
      );
      assert.match(ended.stdout, /^### Export `offers`$/m);
    } finally {
      store.close();
    }
  });

  it("refuses a state whose resources are no list of maps", async () => {
    declare("prod", { rows: old });
    for (const resources of [{}, [1]]) {
      states.set("trial", resources as Values[]);
      const { code, stdout, stderr } = await review();
      assert.deepEqual([code, stdout], [1, ""]);
      assert.match(
        stderr,
        /^error: The state of stack "trial" cannot be read: it is not what "pulumi stack export" prints\./,
      );
    }
  });

  it("reads a plan from standard input, refuses one that is not a file, and does not wait for a program that writes to a pipe", async () => {
    execFileSync("mkfifo", [world.path("plan")]);
    const ofInput = await review("--plan -", {}, "no plan");
    assert.match(ofInput.stderr, /The input is not the output of "pulumi preview --json"/);
    const { code, stderr } = await review("--plan plan");
    assert.equal(code, 2);
    assert.match(stderr, /"plan" cannot be read: it is not a file\./);
  });

  it("names the export of a damaged file, and one that cannot be read, and compares the rest", async () => {
    declare("prod", { name: "damaged", rows: old });
    const text = '{"sku":"1"}\nno JSON\n';
    writeFileSync(world.path("damaged.ndjson"), text);
    const sha256 = createHash("sha256").update(text).digest("hex");
    declare("trial", { name: "damaged", file: "damaged.ndjson", outputs: { sha256 } });
    declare("prod", { name: "offers", rows: old });
    declare("trial", { name: "offers", rows: now });
    const isLinux = process.platform === "linux";
    if (isLinux) {
      declare("prod", { name: "unreadable", rows: old });
      declare("trial", { name: "unreadable", file: "/proc/self/mem" });
    }
    const ended = await review();
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stdout, /^- not comparable: `damaged`: `"damaged\.ndjson" cannot be read as ndjson: .*`$/m);
    assert.match(ended.stdout, /^### Export `offers`$/m);
    if (isLinux) {
      assert.match(ended.stdout, /^- not comparable: `unreadable`: `"\/proc\/self\/mem" cannot be read \(EIO\)`$/m);
    }
    const failed = await review("--fail-on rows<-10%");
    assert.equal(failed.code, 1);
    assert.match(failed.stdout, /^> - `damaged`: `--fail-on` failed: `not comparable`$/m);
  });

  it("takes the rows of the last run where their export has failed", async () => {
    declare("prod", { rows: old });
    declare("trial", { rows: now, taskId: shop.taskId, lotNo: "1", runs: await world.finishedRun() });
    const ended = await review("--json");
    assert.equal(ended.code, 0, ended.stderr);
    const [compared] = ended.json().exports;
    assert.deepEqual([compared.base.rows, compared.head.rows], [2, 25]);
  });

  it("reads the rows of the default account there, although WEBEXTRACT_PROFILE names another one", async () => {
    declare("prod", { rows: old });
    declare("trial", { taskId: shop.taskId, lotNo: await world.finishedRun() });
    const profiles = JSON.stringify({ kids: { baseUrl: "http://127.0.0.1:1" } });
    const ended = await review("--json", { WEBEXTRACT_PROFILES: profiles, WEBEXTRACT_PROFILE: "kids" });
    assert.equal(ended.code, 0, ended.stderr);
    assert.equal(ended.json().exports[0]?.head.rows, 25, ended.stdout);
  });

  it("lists exports of one stack, and does not compare the same run twice", async () => {
    declare("prod", { name: "gone", rows: old });
    declare("trial", { name: "new", rows: old });
    declare("prod", { name: "shared", taskId: "t", lotNo: "7" });
    declare("trial", { name: "shared", taskId: "t", lotNo: "7" });
    for (const [stack, all] of states) {
      const isKept = ({ urn }: Values): boolean =>
        !String(urn).endsWith("::shared") || String(urn).includes("DataExport");
      states.set(stack, all.filter(isKept));
    }
    const { stdout, code } = await review();
    assert.equal(code, 0);
    assert.match(stdout, /No rows were compared\.\n\n- Only in stack `trial`: `new`\n- Only in stack `prod`: `gone`\n/);
    assert.match(stdout, /^- Not compared: 1 export of the same run in both stacks$/m);
    assert.match(stdout, /^From stack `prod` to stack `trial`: 3 to create, 3 to delete\.$/m);
  });

  it("refuses a trial that has tasks of the base, of either kind of types, before any rows are read", async () => {
    declare("prod", { taskId: "t1", rows: old });
    declare("prod", { name: "offers", rows: old });
    declare("trial", { taskId: "t1", rows: now });
    declare("trial", { name: "offers", rows: now });
    const [elsewhere] = states.get("prod") ?? [];
    const setOrigin = (stack: string, origin: string): void =>
      states.get(stack)?.forEach(({ outputs }) => void Object.assign(outputs as Values, { origin }));
    for (const toOther of [
      () => undefined,
      () => moveToNative("trial"),
      // As two versions have written one service.
      () => [setOrigin("prod", "https://one.example"), setOrigin("trial", "https://one.example/eu")],
      // A task of another service can have the same id.
      () => states.get("prod")?.push({ ...elsewhere, outputs: { taskId: "t1", origin: "https://two.example" } }),
    ]) {
      toOther();
      const { code, stderr } = await review();
      assert.equal(code, 2, stderr);
      assert.match(
        stderr,
        /^error: Stack "trial" has 1 task of stack "prod" \(t1\), .* Nothing was compared\. .*webextract:trialGroup GROUP"/,
      );
    }
    assert.deepEqual(world.operations(), []);
  });

  it("compares a stack of dynamic resources with one on the native plugin as one program", async () => {
    declare("prod", { rows: old });
    declare("trial", { rows: now, pages: "3", taskId: shop.taskId, runs: await world.finishedRun() });
    moveToNative("trial");
    const { stdout } = await review("--key sku");
    assert.match(stdout, /^From stack `prod` to stack `trial`: 1 to update\.$/m);
    assert.match(stdout, /MaxPages` \| `2` \| `3` \|/);
    // The export of the trial's last run has failed: its batch counts.
    states.get("trial")?.pop();
    assert.match((await review()).stdout, /^- Head: `shop-1:\d+`, 25 rows/m);
  });

  it("takes the configuration from a plan, and compares only what it changes", async () => {
    for (const name of ["books", "offers"]) {
      declare("prod", { name, rows: old });
      declare("trial", { name, rows: now, pages: "3" });
    }
    const task = states.get("prod")?.[0];
    const inputs = { actions: { pages: { properties: { MaxPages: "4" } } } };
    const step = { op: "update", urn: task?.urn, oldState: task, newState: { ...task, inputs } };
    writeFileSync(world.path("plan.json"), JSON.stringify({ steps: [step] }));
    const { stdout, code, stderr } = await review("--plan plan.json --key sku");
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^## Preview\n\n1 to update\.\n/);
    assert.match(stdout, /MaxPages` \| `2` \| `4` \|/);
    assert.deepEqual(stdout.match(/^### Export `.*`$/gm), ["### Export `books`"]);
    assert.match(stdout, /^- Not compared: 1 export of tasks that the plan does not change$/m);
  });

  it("compares an export with the one that the plan renames it to, also where that has failed", async () => {
    declare("prod", { name: "books", rows: old });
    const resources = states.get("prod") ?? [];
    const lotNo = await world.finishedRun();
    for (const failed of ["", "not updated", "not made"]) {
      states.delete("trial");
      declare("trial", { name: "stories", rows: now, taskId: shop.taskId, ...(failed !== "" && { runs: lotNo }) });
      const steps = resources.map((each) => ({
        op: "update",
        urn: String(each.urn).replace(/books$/, "stories"),
        oldState: each,
        newState: { ...each, inputs: { ...(each.inputs as Values), changed: true } },
      }));
      if (failed === "not made") {
        states.get("trial")?.pop();
      } else if (failed !== "") {
        // The engine keeps the old name of an export that it could not update.
        states.get("trial")?.splice(2, 1, {
          ...states.get("trial")?.[2],
          urn: String(resources[2]?.urn).replace("prod", "trial"),
        });
      }
      writeFileSync(world.path("plan.json"), JSON.stringify({ steps }));
      const ended = await review("--plan plan.json --json --fail-on fields-gone");
      const { exports, only, failed: failures } = ended.json();
      assert.deepEqual(only, { base: [], head: [] }, ended.stderr);
      const task = failed === "not made" ? "books" : "stories";
      assert.deepEqual([exports[0].name, exports[0].task, exports[0].base.rows], ["stories", task, 2]);
      assert.deepEqual([exports[0].head.rows, failures.length], failed === "" ? [3, 0] : [25, 1], failed);
    }
  });

  it("compares an export whose only change in the plan is its name", async () => {
    declare("prod", { name: "books", rows: old });
    declare("trial", { name: "stories", rows: now });
    const steps = (states.get("prod") ?? []).map((each, index) => ({
      op: index === 0 ? "update" : "same",
      urn: String(each.urn).replace(/books$/, "stories"),
      ...{ oldState: each, newState: { ...each, inputs: {} } },
    }));
    writeFileSync(world.path("plan.json"), JSON.stringify({ steps }));
    const ended = await review("--plan plan.json --json --fail-on fields-gone");
    assert.equal(ended.code, 0, ended.stderr);
    const { exports, only } = ended.json();
    assert.deepEqual([exports.map(({ name }: Values) => name), only], [["stories"], { base: [], head: [] }]);
  });

  it("takes the run that the export of the head names, not one that only that of the base names", async () => {
    declare("trial", { name: "earlier", taskId: shop.taskId, lotNo: await world.finishedRun() });
    states.get("trial")?.pop();
    declare("prod", { name: "books", rows: old });
    Object.assign(states.get("prod")?.[2]?.propertyDependencies as Values, {
      lotNo: sources("prod", "CloudRun", "earlier"),
    });
    declare("trial", { name: "books", rows: now });
    const ended = await review("--json");
    assert.equal(ended.code, 0, ended.stderr);
    assert.equal(ended.json().exports[0].head.rows, 3);
  });

  it("takes the key for each export that has it, and refuses names that nothing has", async () => {
    const checks = { fields: { title: { unique: true } } };
    for (const name of ["books", "offers"]) {
      declare("prod", { name, rows: old });
      declare("trial", {
        name,
        rows: name === "books" ? now : now.map(({ title }) => ({ title })),
        inputs: { checks },
      });
    }
    const ended = await review("--key sku --key sku --json");
    assert.equal(ended.code, 0, ended.stderr);
    assert.deepEqual(
      ended.json().exports.map(({ key }: Values) => key),
      [["sku"], ["title"]],
    );
    for (const [line, said] of [
      ["--key skus", /--key names "skus", which is no field of the rows; did you mean "sku"\?/],
      ["--fail-on filled:prize<-5%", /--fail-on names "prize", which is no field of the rows; did you mean "price"\?/],
    ] as const) {
      const failed = await review(line);
      assert.equal(failed.code, 2, line);
      assert.match(failed.stderr, said);
    }
    const same = await review("--head-stack prod");
    assert.deepEqual([same.code, same.stderr.includes('are both "prod"')], [2, true]);
  });

  it("leaves ignored fields out of each export that has them, and says so", async () => {
    const rows = (time: string) => old.map((row) => ({ ...row, time }));
    for (const [stack, time] of [
      ["prod", "10:00"],
      ["trial", "11:00"],
    ] as const) {
      declare(stack, { rows: rows(time) });
      declare(stack, { name: "pens", rows: old.map((row) => ({ ...row, stack })) });
    }
    const options = "--key sku --ignore time --ignore stack --fail-on changed>20%";
    const { code, stdout, stderr } = await review(`${options} --json`);
    assert.equal(code, 0, stderr);
    const { exports, markdown } = JSON.parse(stdout);
    assert.deepEqual(
      exports.map(({ name, changed, ignored, keys }: Values) => [name, changed, ignored, keys]),
      [
        ["books", 0, ["time"], { added: [], removed: [], changed: [] }],
        ["pens", 0, ["stack"], { added: [], removed: [], changed: [] }],
      ],
    );
    assert.match(markdown, /^- Ignored: `time`$/m);
    const unknown = await review("--key sku --ignore tim");
    assert.match(unknown.stderr, /--ignore names "tim", which is no field of the rows; did you mean "time"\?/);
    assert.match((await review("--key sku --ignore sku")).stderr, /--ignore and --key both name "sku"\./);
  });

  it("fails with the conditions of each export, also where one needs a key and there is none", async () => {
    for (const name of ["books", "offers"]) {
      declare("prod", { name, rows: old });
      declare("trial", {
        name,
        rows: name === "books" ? now : old.slice(1).map(({ sku: code, ...rest }) => ({ code, ...rest })),
      });
    }
    const line = "--key sku --fail-on filled:price<-5% --fail-on removed>0 --fail-on rows<-10%";
    const { stdout, code } = await review(line);
    assert.equal(code, 1);
    assert.ok(
      stdout.startsWith(`> [!CAUTION]
> - \`books\`: \`filled:price<-5%\` failed: \`-100%\`
> - \`offers\`: \`removed>0\` failed: \`there is no key\`
> - \`offers\`: \`rows<-10%\` failed: \`-50%\`

## Configuration
`),
      stdout,
    );
    assert.match(
      stdout,
      /^\| `books` \| 2 -> 3 \| 1 \| 0 \| 2 \| `price 100% -> 0%` \|\n\| `offers` \| 2 -> 1 \| {2}\| {2}\| {2}\| `sku gone, code new` \|$/m,
    );
  });

  it("shows no value of a property that is secret in one of the stacks", async () => {
    const sealed = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", plaintext: '"hidden"' };
    const checks = (...oneOf: unknown[]): Given => ({ rows: old, inputs: { checks: { fields: { sku: { oneOf } } } } });
    declare("prod", { ...checks(sealed, "same"), name: "was" });
    declare("trial", { ...checks("hidden", "same"), name: "was" });
    declare("prod", { name: "is", pages: "hidden", rows: old });
    declare("trial", { name: "is", pages: sealed as unknown as string, rows: old });
    declare("prod", { ...checks("hidden"), name: "whole" });
    declare("trial", { rows: old, name: "whole", inputs: { checks: sealed } });
    const { stdout, code, stderr } = await review();
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stdout, /hidden/);
    for (const path of ["checks.fields.sku.oneOf", "actions.pages.properties.MaxPages", "checks"]) {
      assert.ok(stdout.includes(`| \`${path}\` | \`[secret]\` | \`[secret]\` |`), stdout);
    }
  });

  it("shows no values with --no-values, and makes nothing alive", async () => {
    const hostile = [...Object.values(hostileMarkdown), ...Object.values(hostileTerminal), "|", "`", "<img src=x>"];
    declare("prod", { rows: hostile.map((value, index) => ({ sku: `k${index}`, [value]: value })) });
    declare("trial", { name: "books", rows: hostile.map((value, index) => ({ sku: `k${index}`, [value]: "x" })) });
    const ended = await review("--key sku");
    assert.equal(ended.code, 0, ended.stderr);
    const outsideOfCode = ended.stdout.replace(/(`+)[^`][\s\S]*?\1/g, "");
    assert.doesNotMatch(outsideOfCode, /<img|<script|@|https?:/);
    assert.ok(!ended.stdout.includes("\u001b"));
    states.clear();
    declare("prod", { rows: old });
    declare("trial", { rows: now });
    const { stdout } = await review("--key sku --no-values");
    assert.doesNotMatch(stdout, /2\.50|Three/);
    assert.match(stdout, /100% -> 0%/);
  });

  slowIt("has at most 60,000 characters, and counts what is left out", async () => {
    const fields = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`a_long_name_of_a_field_${index}`, "x"]),
    );
    for (let index = 0; index < 50; index++) {
      const name = `shop-with-a-name-of-${"some-length-".repeat(8)}${index}`;
      declare("prod", { name, rows: [{ sku: "1", ...fields }], pages: "2" });
      declare("trial", { name, rows: [{ sku: "1", gone: "" }], pages: "3" });
    }
    const ended = await review("--key sku --fail-on fields-gone");
    assert.equal(ended.code, 1, ended.stderr);
    assert.ok(ended.stdout.length <= 60_000, `${ended.stdout.length}`);
    assert.ok(ended.stdout.length > 40_000, `${ended.stdout.length}`);
    assert.match(ended.stdout, /and \d+ more failed conditions/);
    assert.match(ended.stdout, /more changes?: /);
    assert.match(ended.stdout, /and \d+ more exports/);
    assert.match(ended.stdout, /The rows of \d+ more exports are left out/);
  });
});
