import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Seed } from "webextract-emulator";
import { startFakeServer } from "../../test/service/fakeServer";
import { useCliWorld } from "./webextract";

const items = Array.from({ length: 30 }, (_, index) => `https://shop.test/${index}`);
const seed: Seed = {
  taskGroups: [{ taskGroupId: "shops" }],
  tasks: ["shop-1", "shop-2"].map((taskId) => ({
    taskId,
    taskGroupId: "shops",
    actions: [
      { actionType: "NavigateAction", actionId: "open", properties: { Url: "https://shop.test/", Password: "hidden" } },
      { actionType: "LoopAction", actionId: "each", loopType: "UrlList", loopItems: items },
    ],
  })),
};

describe("webextract adopt, validate and plan-report", () => {
  const world = useCliWorld({ seed, behaviour: { getActionsEmptyTypes: "all" } });
  const read = (name: string): string => readFileSync(world.path(name), "utf8");

  it("shows the manifest of a task, and writes nothing", async () => {
    const { code, stdout } = await world.run("adopt shop-1");
    assert.equal(code, 0);
    assert.match(stdout, /adoptTaskId: shop-1\n/);
    assert.equal(stdout.match(/- https:/g)?.length, items.length);
    assert.doesNotMatch(stdout, /hidden/);
    assert.deepEqual(world.operations(), ["getActions"]);
  });

  it("refuses a task with two names, and says that a name is empty", async () => {
    const twice = await world.run("adopt shop-1=a shop-1=a shop-1=b --out tasks");
    assert.deepEqual([twice.code, existsSync(world.path("tasks"))], [2, false]);
    assert.match(twice.stderr, /Task "shop-1" is given twice, as "a" and as "b"\. Nothing was written\./);
    assert.equal((await world.run("adopt shop-1=a shop-1=a")).code, 0);
    const empty = await world.run("adopt shop-1=");
    assert.match(
      empty.stderr,
      /does not show 1 task to this account: shop-1=\..* In TASK=NAME, NAME must not be empty\./,
    );
  });

  it("says why a task is not this account's, of each command, and that nothing was done", async () => {
    world.emulator.setBehaviour({ taskGone: "notYours" });
    for (const line of ["actions WRONG", "adopt shop-1 WRONG", "run WRONG --yes", "rows WRONG", "status WRONG"]) {
      const { code, stdout, stderr } = await world.run(line);
      assert.deepEqual([code, stdout], [4, ""], `${line}: ${stderr}`);
      assert.match(stderr, /the id is wrong, or the task belongs to another account, or it was deleted/, line);
      assert.doesNotMatch(stderr, /may (have started|exist)/, line);
    }
  });

  it("never shows a credential in use that a property contains", async () => {
    const [accessToken, refreshToken, apiKey] = ["in-use-1", "in-use-2", "in-use-3"];
    const service = await startFakeServer((_request, response) => {
      const properties = [accessToken, refreshToken, apiKey].map((value, index) => ({
        name: `P${index}`,
        value: `${value}!`,
      }));
      const actions = [{ actionType: "NavigateAction", actionId: "open", properties }];
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ data: [{ taskId: "shop-1", actions }], requestId: "r-1" }));
    });
    try {
      const { code, stdout, stderr } = await world.run("adopt shop-1", {
        ...{ WEBEXTRACT_BASE_URL: service.baseUrl, WEBEXTRACT_ACCESS_TOKEN: accessToken },
        ...{ WEBEXTRACT_REFRESH_TOKEN: refreshToken, WEBEXTRACT_API_KEY: apiKey },
      });
      assert.equal(code, 0, stderr);
      assert.equal(stdout.match(/P\d: \$\{shop-1-open-P\d\}/g)?.length, 3, stdout);
      assert.doesNotMatch(stdout + stderr, /in-use-/);
    } finally {
      await service.close();
    }
  });

  it("writes manifests that are valid, with the types of the option, or with all documented ones", async () => {
    const ended = await world.run("adopt shop-1 shop-2 --out tasks --types NavigateAction,LoopAction --json");
    assert.equal(ended.code, 0, ended.stderr);
    const { tasks, files } = ended.json();
    assert.deepEqual(
      tasks.map(({ name, file, actions }: Record<string, unknown>) => [name, file, actions]),
      ["shop-1", "shop-2"].map((name) => [name, `tasks/${name}.yaml`, ["open", "each"]]),
    );
    assert.equal(files.length, 4);
    assert.equal(read("tasks/items/shop-2-each.txt"), `${items.join("\n")}\n`);
    const checked = await world.run("validate tasks", { WEBEXTRACT_BASE_URL: undefined });
    assert.deepEqual([checked.code, checked.stdout], [0, "2 tasks, no problem.\n"]);
    const onlyLoops = await world.run("adopt shop-1 --types LoopAction --json");
    assert.deepEqual(onlyLoops.json().tasks[0].actions, ["each"]);
    world.emulator.setBehaviour({ getActionsEmptyTypes: "refused" });
    const documented = await world.run("adopt shop-1 --json", { WEBEXTRACT_ACTION_TYPES: "LoopAction" });
    assert.deepEqual(documented.json().tasks[0].actions, ["open", "each"]);
  });

  it("shows the actions of a task as a table and as JSON, without secrets", async () => {
    const { code, stdout } = await world.run("actions shop-1");
    assert.equal(code, 0);
    assert.match(stdout, /^action +name +type +properties +loop$/m);
    assert.match(stdout, /^open +NavigateAction +Url="https:\/\/shop\.test\/" Password=\[secret\]$/m);
    assert.match(stdout, /^each +LoopAction +UrlList: 30 items$/m);
    const { taskId, actions } = (await world.run("actions shop-1 --json")).json();
    assert.deepEqual(
      [taskId, actions],
      [
        "shop-1",
        [
          {
            actionId: "open",
            actionType: "NavigateAction",
            properties: { Url: "https://shop.test/", Password: "[secret]" },
          },
          { actionId: "each", actionType: "LoopAction", properties: {}, loop: { loopType: "UrlList", items } },
        ],
      ],
    );
    world.emulator.setBehaviour({ getActionsEmptyTypes: "none" });
    assert.match((await world.run("actions shop-1")).stdout, /^each +LoopAction /m);
    const { stdout: advice } = await world.run("actions shop-1 --types Nothing");
    assert.match(advice, /^The service shows no action of shop-1 of the types Nothing\. .* --types LoopAction/);
  });

  it("writes a file for pulumi import, and says what the import needs", async () => {
    const types = "NavigateAction,LoopAction";
    const ended = await world.run(`adopt shop-1=books shop-2 --import-file tasks.json --types ${types}`);
    assert.equal(ended.code, 0, ended.stderr);
    const type = "webextract:index:ExtractionTask";
    assert.deepEqual(JSON.parse(read("tasks.json")), {
      resources: [
        { type, name: "books", id: "shop-1" },
        { type, name: "shop-2", id: "shop-2" },
      ],
    });
    assert.match(ended.stdout, /^wrote tasks\.json\n2 tasks in all\./);
    assert.match(ended.stdout, /"Password" may be a secret\. It is not imported\./);
    assert.ok(
      ended.stdout.endsWith(
        `\nNext:\n  pulumi config set webextract:actionTypes '${types}'\n  pulumi import --file 'tasks.json'\n`,
      ),
      ended.stdout,
    );
    assert.doesNotMatch(ended.stdout + read("tasks.json"), /hidden/);
    const again = await world.run("adopt shop-1=books shop-2 --import-file tasks.json", {
      WEBEXTRACT_ACTION_TYPES: types,
    });
    assert.match(again.stdout, /^up to date: tasks\.json\n/);
    assert.doesNotMatch(again.stdout, /config set/);
    const refused = await world.run("adopt shop-1 --import-file tasks.json");
    assert.deepEqual([refused.code, JSON.parse(read("tasks.json")).resources.length], [2, 2]);
    const json = (await world.run("adopt shop-2 --import-file one.json --json")).json();
    assert.deepEqual(json.files, [{ path: "one.json", written: true, replaced: false }]);
    assert.deepEqual(
      json.tasks.map(({ name, taskId }: Record<string, unknown>) => [name, taskId]),
      [["shop-2", "shop-2"]],
    );
  });

  it("refuses what a file for pulumi import cannot say: declarations beside it, and a profile", async () => {
    const both = await world.run("adopt shop-1 --import-file tasks.json --out tasks --language yaml");
    assert.equal(both.code, 2);
    assert.match(
      both.stderr,
      /--import-file writes no declarations, so it cannot be combined with --out, --language and --items-dir\./,
    );
    const { apiKey, accessToken } = world.emulator.credentials;
    const ofProfile = await world.run("adopt shop-1 --import-file tasks.json --profile second", {
      WEBEXTRACT_PROFILES: JSON.stringify({ second: { apiKey, accessToken } }),
    });
    assert.equal(ofProfile.code, 2);
    assert.match(
      ofProfile.stderr,
      /pulumi import finds only tasks .* of profile "second"\. Write declarations with --out\./,
    );
    assert.deepEqual([world.operations(), existsSync(world.path("tasks.json"))], [[], false]);
  });

  it("does not replace a file without a confirmation", async () => {
    writeFileSync(world.path("shop.ts"), "mine");
    const refused = await world.run("adopt shop-1 --out shop.ts --json");
    assert.deepEqual([refused.code, refused.json().error.exit, read("shop.ts")], [2, "usage", "mine"]);
    assert.equal(existsSync(world.path("items")), false);
    const replaced = await world.run("adopt shop-1 --out shop.ts --yes");
    assert.equal(replaced.code, 0, replaced.stderr);
    assert.match(
      read("shop.ts"),
      /^import \* as pulumi from "@pulumi\/pulumi";\nimport \{ ExtractionTask \} from "pulumi-webextract";/,
    );
    const again = await world.run("adopt shop-1 --out shop.ts --json");
    assert.deepEqual(
      [again.code, again.json().files.map(({ written }: { written: boolean }) => written)],
      [0, [false, false]],
    );
  });

  it("says which names it has changed, and how many tasks there are", async () => {
    const ended = await world.run("adopt shop-1=same shop-2=SAME --out tasks");
    assert.equal(ended.code, 0, ended.stderr);
    assert.match(ended.stdout, /^2 tasks in all\.$/m);
    assert.match(ended.stdout, /^Names that were changed, .*: "SAME" of shop-2 is called SAME-2$/m);
    const again = await world.run("adopt shop-1=one shop-2=two --out others");
    assert.doesNotMatch(again.stdout, /changed/);
  });

  it("counts the files that it would replace if they are many", async () => {
    writeFileSync(world.path("ids.csv"), Array.from({ length: 12 }, (_, index) => `task-${index}\n`).join(""));
    const service = await startFakeServer(({ body }, response) => {
      const actions = [{ actionType: "NavigateAction", actionId: "open", properties: [{ name: "Wait", value: "1" }] }];
      const data = (JSON.parse(body).taskIds as string[]).map((taskId) => ({ taskId, actions }));
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ data, requestId: "r-1" }));
    });
    try {
      const line = "adopt --ids-file ids.csv --types NavigateAction --out tasks";
      const first = await world.run(line, { WEBEXTRACT_BASE_URL: service.baseUrl });
      assert.match(
        first.stdout,
        /^wrote 12 files \(tasks\/task-0\.yaml, tasks\/task-1\.yaml, tasks\/task-2\.yaml, …\)\n12 tasks in all\.$/m,
      );
      for (let index = 0; index < 12; index++) {
        writeFileSync(world.path(`tasks/task-${index}.yaml`), "mine");
      }
      const second = await world.run(line, { WEBEXTRACT_BASE_URL: service.baseUrl });
      assert.equal(second.code, 2);
      assert.match(
        second.stderr,
        /Replace 12 files \(tasks\/task-0\.yaml, tasks\/task-1\.yaml, tasks\/task-2\.yaml, …\)/,
      );
    } finally {
      await service.close();
    }
  });

  it("names the tasks that do not exist, and writes nothing", async () => {
    const ended = await world.run("adopt shop-1 nowhere --out tasks --json");
    const { exit, taskIds } = ended.json().error;
    assert.deepEqual([ended.code, exit, taskIds, existsSync(world.path("tasks"))], [4, "notFound", ["nowhere"], false]);
  });

  it("reads ids from standard input", async () => {
    const ended = await world.run("adopt --ids-file - --json", {}, "shop-1,books\n");
    assert.equal(ended.code, 0, ended.stderr);
    assert.equal(ended.json().tasks[0].name, "books");
    assert.match((await world.run("adopt --ids-file -", {}, "a,b,c,d\n")).stderr, /^error: -:1: must be id/);
  });

  it("names files and resources as the user says, with a folder for each group", async () => {
    writeFileSync(world.path("ids.csv"), "Task ID;Task Name;Group\nshop-2;Bücher & Co;Shops/DE\n");
    const ended = await world.run("adopt shop-1=books --ids-file ids.csv --out tasks --json");
    assert.equal(ended.code, 0, ended.stderr);
    assert.deepEqual(
      ended.json().tasks.map(({ name, taskId, file }: Record<string, unknown>) => [name, taskId, file]),
      [
        ["books", "shop-1", "tasks/books.yaml"],
        ["Bücher-Co", "shop-2", "tasks/Shops-DE/Bücher-Co.yaml"],
      ],
    );
    const validated = await world.run("validate tasks");
    assert.deepEqual([validated.code, validated.stdout], [0, "2 tasks, no problem.\n"]);
    const online =
      "https://raw.githubusercontent.com/pulumi-webextract/pulumi-webextract/main/src/manifest/manifest.schema.json";
    assert.ok(read("tasks/books.yaml").startsWith(`# yaml-language-server: $schema=${online}\n`));
    writeFileSync(world.path("package.json"), "{}");
    assert.equal((await world.run("adopt shop-1=books --ids-file ids.csv --out tasks --yes")).code, 0);
    for (const [file, up] of [
      ["tasks/books.yaml", "../"],
      ["tasks/Shops-DE/Bücher-Co.yaml", "../../"],
    ] as const) {
      const schema = `# yaml-language-server: $schema=${up}node_modules/pulumi-webextract/src/manifest/manifest.schema.json\n`;
      assert.ok(read(file).startsWith(schema), read(file));
    }
    const alone = await world.run("adopt shop-1=books --out shop.yaml");
    assert.equal(alone.code, 0, alone.stderr);
    assert.match(read("shop.yaml"), /^name: books$/m);
    assert.match((await world.run("adopt shop-1=books")).stdout, /^name: books$/m);
  });

  for (const field of ["taskName", "name", "TaskName"]) {
    it(`calls files as the service does that shows ${field}, unless the user says otherwise`, async () => {
      const service = await startFakeServer(({ body }, response) => {
        const data = (JSON.parse(body).taskIds as string[]).map((taskId) => ({
          taskId,
          [field]: `Shop of ${taskId}`,
          actions: [{ actionType: "NavigateAction", actionId: "open", properties: [{ name: "Wait", value: "1" }] }],
        }));
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ data, requestId: "r-1" }));
      });
      try {
        const line = "adopt t-1 t-2=books --types NavigateAction --out tasks --json";
        const ended = await world.run(line, { WEBEXTRACT_BASE_URL: service.baseUrl });
        assert.equal(ended.code, 0, ended.stderr);
        assert.deepEqual(
          ended.json().tasks.map(({ file }: { file: string }) => file),
          ["tasks/Shop-of-t-1.yaml", "tasks/books.yaml"],
        );
      } finally {
        await service.close();
      }
    });
  }

  it("refuses no task, and a file of ids that cannot be read, before any request", async () => {
    writeFileSync(world.path("ids.csv"), "shop-1,other\n");
    for (const [line, says] of [
      ["adopt", /Name at least one task, or give --ids-file/],
      ["adopt --ids-file nowhere.csv", /"nowhere\.csv" cannot be read \(ENOENT\)/],
    ] as const) {
      const ended = await world.run(line);
      assert.deepEqual([ended.code, world.operations()], [2, []], ended.stderr);
      assert.match(ended.stderr, says);
    }
  });

  for (const getActionsEmptyTypes of ["none", "refused"] as const) {
    it(`writes nothing if the service shows no action, and says how to find the types (${getActionsEmptyTypes})`, async () => {
      world.emulator.setBehaviour({ getActionsEmptyTypes });
      for (const taskId of ["shop-1", "shop-2"]) {
        for (const actionId of ["open", "each"]) world.emulator.change.deleteAction(taskId, actionId);
      }
      const ended = await world.run("adopt shop-1 shop-2 --out tasks --json");
      assert.deepEqual([ended.code, ended.json().error.taskIds], [1, ["shop-1", "shop-2"]]);
      assert.match(
        ended.stderr,
        /shows no action of 2 tasks \(shop-1, shop-2\) without their types or of the types EnterTextAction, LoopAction, NavigateAction\. Nothing was written\. Name the types of the actions, .* --types/,
      );
      const wrong = await world.run("adopt shop-1 --out tasks --types Nothing");
      assert.equal(wrong.code, 1);
      assert.match(wrong.stderr, /shows no action of shop-1 of the types Nothing\./);
      const { stdout } = await world.run("actions shop-1");
      assert.match(stdout, /^The service shows no action of shop-1 without their types or of the types EnterText\S+, /);
      assert.equal(existsSync(world.path("tasks")), false);
    });
  }

  it("shows the problems of manifests with their places, and ends with 1", async () => {
    writeFileSync(world.path("a.yaml"), "from: { adoptTaskId: x }\nrun: { rerunOn: [b] }\n");
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the name of a variable
    writeFileSync(world.path("b.yaml"), 'from: { adoptTaskId: "${any}" }\nacions: {}\n');
    const none = { WEBEXTRACT_BASE_URL: undefined, WEBEXTRACT_ACCESS_TOKEN: undefined };
    const { code, stdout } = await world.run("validate a.yaml b.yaml", none);
    assert.equal(code, 1);
    assert.match(stdout, /^b\.yaml:2:1 acions: is not a valid name[\s\S]*\n\n1 problem\.\n$/);
    const ended = await world.run("validate b.yaml missing --json", none);
    const places = ended.json().problems.map(({ file, line }: Record<string, unknown>) => `${file}:${line}`);
    assert.deepEqual([ended.code, places], [1, ["b.yaml:2", "missing:undefined"]]);
  });

  it("shows what a preview warns of in the names of files and in lists", async () => {
    writeFileSync(
      world.path("a.yaml"),
      "from: { adoptTaskId: x }\nrun: {}\nstartUrls: { urls: ['https://a.test/,Kids'] }\nexports:\n  rows: { path: 'rows/{lotNo}.csv', format: ndjson }\n",
    );
    const { code, stdout } = await world.run("validate a.yaml");
    assert.equal(code, 0, stdout);
    const ending = 'path: ends like csv, and the rows are written as ndjson: set format "csv", or use another name\n';
    assert.ok(stdout.includes(`warning: a.yaml:5:17 exports.rows.${ending}`), stdout);
    assert.match(stdout, /^warning: a\.yaml:3:\d+ startUrls: Lines that may be no URLs as they are: .* a comma with/m);
    assert.match(stdout, /1 task, no problem, 2 warnings\.\n$/);
  });

  it("shows the problems of the files that manifests name", async () => {
    writeFileSync(world.path("a.yaml"), "from: { adoptTaskId: x }\nstartUrls: { file: urls.txt }\n");
    const missing = await world.run("validate a.yaml");
    assert.equal(missing.code, 1);
    assert.match(missing.stdout, /^a\.yaml:2:20 startUrls\.file: names "urls\.txt", which does not exist/);
    writeFileSync(world.path("urls.txt"), "https://a.test\nhttps//b.test\n");
    const wrong = await world.run("validate a.yaml --json");
    const [{ file, line, column, path }] = wrong.json().problems;
    assert.deepEqual([wrong.code, file, line, column, path], [1, "a.yaml", 2, 20, 'startUrls.file "urls.txt", line 2']);
  });

  it("reports a plan from standard input or from a file", async () => {
    const plan = JSON.stringify({
      steps: [
        {
          op: "create",
          urn: "urn:pulumi:dev::test::pulumi-nodejs:dynamic/webextract:CloudRun::run",
          newState: { inputs: { taskId: "shop-1" } },
        },
      ],
    });
    const { code, stdout } = await world.run("plan-report", {}, plan);
    assert.equal(code, 0);
    assert.match(stdout, /CloudRun `run` starts a run, which may cost money/);
    writeFileSync(world.path("plan.json"), plan);
    const ended = await world.run("plan-report plan.json --json");
    assert.equal(ended.json().markdown, stdout);
    assert.deepEqual(ended.json().changes, [{ type: "CloudRun", name: "run", does: "create" }]);
    assert.equal((await world.run("plan-report -", {}, plan)).stdout, stdout);
    assert.equal((await world.run("plan-report missing.json")).code, 2);
    const utf16 = Buffer.from(`\ufeff${plan}\r\n`, "utf16le");
    for (const [name, bytes] of Object.entries({ little: utf16, big: Buffer.from(utf16).swap16() })) {
      writeFileSync(world.path(name), bytes);
      assert.equal((await world.run(["plan-report", name])).stdout, stdout);
      assert.equal((await world.run("plan-report", {}, bytes)).stdout, stdout);
    }
    const wrong = await world.run("plan-report --json", {}, "error: no stack");
    assert.deepEqual([wrong.code, wrong.json().error.exit], [2, "usage"]);
  });
});
