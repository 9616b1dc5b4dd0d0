// biome-ignore-all lint/suspicious/noTemplateCurlyInString: manifests have variables
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { slowIt } from "../../test/environment";
import { CliWorld, fakePulumi, shop, useCliWorld } from "./webextract";

const copyId = "4f3b869e-14b3-4ef7-a16d-4c6387a98adc";
const actions = [{ actionId: "open", actionType: "NavigateAction", properties: { Wait: "1" } }];

interface StateResource {
  urn: string;
  modified?: string;
  delete?: boolean;
  outputs?: Record<string, unknown>;
}

let clock = 0;
const resource = (type: string, name: string, outputs: Record<string, unknown>): StateResource => ({
  urn: `urn:pulumi:dev::shop::pulumi-nodejs:dynamic/webextract:${type}::${name}`,
  modified: new Date(1_790_000_000_000 + clock++ * 1000).toISOString(),
  outputs,
});

/** As `pulumi stack export` lists them: in the order of their dependencies. */
const resources: StateResource[] = [
  { urn: "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev" },
  resource("ExtractionTask", "books", { taskId: shop.taskId }),
  resource("TaskCopy", "copy", { taskId: copyId, profile: "uploads" }),
  resource("TaskCopy", "twice", { taskId: "one" }),
  resource("ExtractionTask", "twice", { taskId: "two" }),
  resource("CloudRun", "books", { taskId: shop.taskId, lotNo: "100", status: "finished" }),
  { ...resource("CloudRun", "books", { taskId: shop.taskId, lotNo: "99", status: "failed" }), delete: true },
  resource("DataExport", "first", { taskId: shop.taskId, file: "rows/1.ndjson", rowCount: 5 }),
  resource("DataExport", "second", { taskId: shop.taskId, file: "rows/2.ndjson", rowCount: 25, lotNo: "100" }),
  resource("CloudRun", "of an id", { taskId: "adopted", lotNo: "7", status: "running" }),
];

describe("names of tasks on the command line", () => {
  const world = useCliWorld({
    seed: {
      taskGroups: [{ taskGroupId: "shops" }],
      tasks: [shop.taskId, copyId].map((taskId) => ({ ...shop, taskId, actions })),
    },
  });
  let env: Record<string, string | undefined>;
  let config: Record<string, { value: string; secret?: boolean }>;
  beforeEach(() => {
    const { accessToken, apiKey } = world.emulator.credentials;
    config = {
      "webextract:baseUrl": { value: world.emulator.url },
      "webextract:accessToken": { value: accessToken, secret: true },
      "webextract:apiKey": { value: apiKey, secret: true },
      "webextract:profiles": { value: JSON.stringify({ uploads: { accessToken, apiKey } }), secret: true },
    };
    const answers = { config, stack: { version: 3, deployment: { resources } } };
    writeFileSync(world.path("answers.json"), JSON.stringify(answers));
    const path = fakePulumi(
      world,
      `const fs = require("node:fs");
fs.appendFileSync("asked.txt", process.argv.slice(2).join(" ") + "\\n");
const { selected, ...answers } = JSON.parse(fs.readFileSync("answers.json", "utf8"));
const answer = answers[process.argv[2]];
if (process.argv[3] !== "--show-name") console.log(answer === undefined ? "v3.248.0" : JSON.stringify(answer));
else if (selected === undefined) process.exitCode = 255;
else console.log(selected);`,
    );
    env = { PATH: path, WEBEXTRACT_BASE_URL: undefined, WEBEXTRACT_ACCESS_TOKEN: undefined };
  });

  const asked = (): string[] => readFileSync(world.path("asked.txt"), "utf8").trim().split("\n");
  const stateReads = (): number => asked().filter((line) => line.startsWith("stack export")).length;

  it("lists the tasks of a stack with id, last run, rows and file", async () => {
    const ended = await world.run("list --stack dev", env);
    assert.equal(ended.code, 0, ended.stderr);
    const lines = ended.stdout.split("\n").map((line) => line.trim().split(/ {2,}/));
    assert.deepEqual(lines[0], ["name", "id", "last run", "rows", "file"]);
    assert.deepEqual(lines[1], ["books", shop.taskId, "100 finished", "25", "rows/2.ndjson"]);
    assert.deepEqual(lines[2], ["copy", copyId]);
    assert.deepEqual(lines[5], ["adopted", "7 running"]);
    const { tasks } = (await world.run("list --stack dev --json", env)).json();
    assert.equal(tasks.length, 5);
    assert.deepEqual(tasks[0].exports.at(-1), { name: "second", file: "rows/2.ndjson", rows: 25, lotNo: "100" });
    assert.deepEqual(world.operations(), []);
  });

  it("lists the tasks that manifests declare", async () => {
    mkdirSync(world.path("tasks"));
    writeFileSync(world.path("tasks/books.yaml"), "from: { adoptTaskId: shop-1 }\n");
    writeFileSync(
      world.path("tasks/more.yaml"),
      'tasks: { novels: { from: { sourceTaskId: "${id}", taskGroupId: g } } }\n',
    );
    const { tasks } = (await world.run("list tasks --json")).json();
    assert.deepEqual(tasks, [
      { name: "books", taskId: "shop-1", file: "tasks/books.yaml" },
      { name: "novels", file: "tasks/more.yaml" },
    ]);
    writeFileSync(world.path("tasks/bad.yaml"), "acions: {}\n");
    const bad = await world.run("list tasks");
    assert.deepEqual([bad.code, bad.stdout], [1, ""]);
    assert.match(bad.stderr, /^error: tasks\/bad\.yaml:1:1/);
    assert.equal((await world.run("list tasks --stack dev")).code, 2);
    assert.equal((await world.run("list")).code, 2);
  });

  it("takes a name in place of an id, in every command about a task", async () => {
    await world.finishedRun();
    for (const line of [
      "status NAME",
      "rows NAME",
      "actions NAME --types NavigateAction",
      "export NAME --out {n}.ndjson",
      "run NAME --yes --no-wait",
      "stop NAME --yes",
      "probe --task NAME",
    ]) {
      const ended = await world.run(`${line.replace("NAME", "books")} --stack dev --json`, env);
      assert.ok([0, line.startsWith("probe") ? 1 : 0].includes(ended.code ?? -1), `${line}: ${ended.stderr}`);
      const { taskId = shop.taskId } = ended.json();
      assert.equal(taskId, shop.taskId, line);
    }
  });

  describe("adopt", () => {
    const adopted = ({ json }: { json(): { tasks: Record<string, unknown>[] } }): unknown[][] =>
      json().tasks.map(({ name, taskId, file }) => [name, taskId, file]);

    it("takes names, and calls the files after them or as the user says", async () => {
      const ended = await world.run(
        "adopt books copy=novels --types NavigateAction --out tasks --stack dev --profile uploads --json",
        env,
      );
      assert.equal(ended.code, 0, ended.stderr);
      assert.deepEqual(adopted(ended), [
        ["books", shop.taskId, "tasks/books.yaml"],
        ["novels", copyId, "tasks/novels.yaml"],
      ]);
      assert.equal(stateReads(), 1);
    });

    it("declares the account of the tasks", async () => {
      for (const [line, more] of [
        ["adopt copy"],
        [`adopt ${copyId} --profile uploads`],
        [`adopt ${copyId}`, { WEBEXTRACT_PROFILE: "uploads" }],
      ] as const) {
        const { stdout, stderr } = await world.run(`${line} --types NavigateAction --stack dev`, { ...env, ...more });
        assert.match(stdout, /^profile: uploads$/m, stderr);
      }
      const { stdout } = await world.run("adopt books --types NavigateAction --stack dev", env);
      assert.doesNotMatch(stdout, /profile/);
    });

    it("reads no state for ids that the service knows", async () => {
      const ended = await world.run(
        `adopt ${shop.taskId} ${copyId}=novels --types NavigateAction --out tasks --stack dev --json`,
        env,
      );
      assert.deepEqual(adopted(ended)[1], ["novels", copyId, "tasks/novels.yaml"], ended.stderr);
      assert.equal(stateReads(), 0);
    });

    it("refuses names of no task, of several, and of several accounts, and writes nothing", async () => {
      for (const [line, code, says] of [
        ["boks", 4, /Neither the service nor stack "dev" knows "boks"; did you mean "books"\? /],
        ["nowhere neither books", 4, /Neither the service nor stack "dev" knows "nowhere", "neither"\. /],
        ["twice", 2, /2 tasks with the name "twice"/],
        ["books copy", 2, /several accounts: the default one, profile "uploads"\./],
      ] as const) {
        const ended = await world.run(`adopt ${line} --out tasks --stack dev`, env);
        assert.equal(ended.code, code, ended.stderr);
        assert.match(ended.stderr, says);
        assert.ok(!existsSync(world.path("tasks")));
      }
    });
  });

  it("reads no state for an id that the service knows", async () => {
    assert.equal((await world.run(`status ${shop.taskId} --stack dev`, env)).code, 0);
    assert.equal(stateReads(), 0);
    // Without a stack, there is nothing to look up, and no request is sent for that.
    world.operations();
    assert.equal((await world.run(`status ${shop.taskId}`)).code, 0);
    assert.deepEqual(world.operations(), ["getSubtasks"]);
  });

  it("prefers an id to a name, also where the service does not show whether a task exists", async () => {
    const twin = resource("ExtractionTask", shop.taskId, { taskId: copyId });
    const answers = JSON.parse(readFileSync(world.path("answers.json"), "utf8"));
    answers.stack.deployment.resources.push(twin);
    writeFileSync(world.path("answers.json"), JSON.stringify(answers));
    assert.equal((await world.run(`status ${shop.taskId} --stack dev --json`, env)).json().taskId, shop.taskId);
    for (const taskGone of ["unnamed", "notFound", "notYours", "serverError"] as const) {
      world.emulator.setBehaviour({ taskGone });
      assert.equal((await world.run(`status ${shop.taskId} --stack dev --json`, env)).json().taskId, shop.taskId);
      assert.equal((await world.run("status books --stack dev --json", env)).json().taskId, shop.taskId, taskGone);
    }
  });

  it("lists the ids of a name that several tasks have, and starts nothing", async () => {
    const ended = await world.run("run twice --yes --stack dev", env);
    assert.equal(ended.code, 2);
    assert.match(ended.stderr, /Stack "dev" has 2 tasks with the name "twice": one, two\. Give the id/);
    assert.ok(!world.operations().includes("startTask"));
  });

  it("does not use the id of another service, and refuses a state that is none", async () => {
    const answers = JSON.parse(readFileSync(world.path("answers.json"), "utf8"));
    for (const each of answers.stack.deployment.resources) {
      each.outputs &&= { ...each.outputs, origin: "https://other.test" };
    }
    writeFileSync(world.path("answers.json"), JSON.stringify(answers));
    const other = await world.run("run books --yes --stack dev", env);
    assert.equal(other.code, 2);
    assert.match(
      other.stderr,
      /Task "books" of stack "dev" is at https:\/\/other\.test, and the command would use http/,
    );
    assert.ok(!world.operations().includes("startTask"));
    for (const stack of [{}, [], { version: 3 }]) {
      writeFileSync(world.path("answers.json"), JSON.stringify({ ...answers, stack }));
      const none = await world.run("list --stack dev", env);
      assert.equal(none.code, 1);
      assert.match(none.stderr, /it is not what "pulumi stack export" prints/);
    }
  });

  it("names the stack in the command that waits for a run", async () => {
    const { stdout } = await world.run("run books --yes --no-wait --stack dev", env);
    assert.match(stdout, /"webextract run shop-1 --lot-no \d+ --stack dev" waits/);
  });

  it("suggests a name for one that the stack does not have", async () => {
    const ended = await world.run("rows boks --stack dev", env);
    assert.equal(ended.code, 4);
    assert.match(ended.stderr, /knows "boks"; did you mean "books"\? "webextract list --stack dev" shows/);
  });

  it("uses the account of the task's resources", async () => {
    const ended = await world.run("status copy --stack dev --json", env);
    assert.equal(ended.json().taskId, copyId, ended.stderr);
  });

  slowIt(
    "uses the default account of the task's resources, although WEBEXTRACT_PROFILE names another one",
    async () => {
      const other = await CliWorld.create({
        seed: { taskGroups: [{ taskGroupId: "shops" }], tasks: [{ ...shop, taskId: "its-own" }] },
      });
      try {
        const { accessToken, apiKey } = other.emulator.credentials;
        const kids = { baseUrl: other.emulator.url, accessToken, apiKey };
        config["webextract:profiles"] = { value: JSON.stringify({ kids }), secret: true };
        writeFileSync(world.path("answers.json"), JSON.stringify({ config, stack: { deployment: { resources } } }));
        const named = { ...env, WEBEXTRACT_PROFILE: "kids" };
        for (const task of ["books", shop.taskId]) {
          const { code, stderr } = await world.run(`run ${task} --yes --no-wait --stack dev`, named);
          assert.equal(code, 0, stderr);
          assert.ok(world.operations().includes("startTask"));
        }
        assert.ok(!other.operations().includes("startTask"));
        assert.equal((await world.run("status its-own --stack dev", named)).code, 0);
        const both = await world.run("adopt books its-own --out tasks --stack dev", named);
        assert.match(both.stderr, /several accounts: the default one, profile "kids"\./);
        assert.equal((await world.run("run books --yes --stack dev --profile kids", env)).code, 4);
      } finally {
        await other.remove();
      }
    },
  );

  it("probes with the account of the task's resources", async () => {
    const { accessToken } = world.emulator.credentials;
    config["webextract:profiles"] = { value: JSON.stringify({ uploads: { accessToken } }), secret: true };
    writeFileSync(world.path("answers.json"), JSON.stringify({ config, stack: { deployment: { resources } } }));
    const ended = await world.run("probe --task copy --stack dev --json", env);
    const { findings } = ended.json();
    const credential = findings.find(({ check }: { check: string }) => check === "credential of reads");
    assert.equal(credential.found, "No API key is configured, so only the access token was tried.", ended.stderr);
  });

  it("shows name, id and stack before it asks", async () => {
    const ended = await world.run("run books --stack dev", env);
    assert.equal(ended.code, 2);
    assert.match(ended.stderr, new RegExp(`Start a run of task "books" \\(id ${shop.taskId}, stack dev\\) at http`));
    assert.ok(!world.operations().includes("startTask"));
  });

  describe("without --stack", () => {
    const select = (stack: string | undefined): void => {
      const answers = { config, stack: { version: 3, deployment: { resources } }, selected: stack };
      writeFileSync(world.path("answers.json"), JSON.stringify(answers));
    };

    it("belong to the stack that is selected in the folder, and commands say so", async () => {
      select("dev");
      const ended = await world.run("status books --json", env);
      assert.equal(ended.json().taskId, shop.taskId, ended.stderr);
      assert.match(ended.stderr, /^Using stack "dev", which is selected in this folder\.\n/);
      assert.ok(asked().includes("config --show-secrets --json --stack dev"), asked().join("\n"));
      const listed = await world.run("list", env);
      assert.match(listed.stdout, /books/);
      assert.match(listed.stderr, /^Using stack "dev"/);
    });

    it("give way to options and to the environment, without a look at the selected stack", async () => {
      select("other");
      const byOption = await world.run("status books --stack dev --json", env);
      assert.equal(byOption.json().taskId, shop.taskId, byOption.stderr);
      // The credentials of a stack must not go to another service.
      const byEnvironment = await world.run(`status ${shop.taskId}`);
      assert.equal(byEnvironment.code, 0, byEnvironment.stderr);
      assert.doesNotMatch(byEnvironment.stderr, /no stack of this folder/);
      writeFileSync(world.path("Pulumi.yaml"), "name: shop\nruntime: nodejs\n");
      const inProject = await world.run(`status ${shop.taskId}`);
      const byAddress = await world.run(`status books --base-url ${world.emulator.url}`, env);
      rmSync(world.path("Pulumi.yaml"));
      assert.notEqual(byAddress.code, 0);
      for (const [{ stderr }, by] of [
        [inProject, "WEBEXTRACT_BASE_URL"],
        [byAddress, "--base-url"],
      ] as const) {
        assert.ok(stderr.includes(`${by} names the service, so no stack of this folder is used, nor its credentials.`));
      }
      assert.ok(
        asked().every((line) => !line.includes("--show-name") && !line.includes("other")),
        asked().join("\n"),
      );
    });

    it("have no stack where none is selected, and without Pulumi", async () => {
      select(undefined);
      for (const path of [env.PATH, world.path("empty")]) {
        const ended = await world.run("status books", { ...env, PATH: path });
        assert.equal(ended.code, 2);
        assert.match(
          ended.stderr,
          /^error: No service is configured, and no Pulumi stack is selected in this folder\./,
        );
        assert.equal((await world.run("list", { ...env, PATH: path })).code, 2);
      }
    });

    it("are no stack that is not selected: the reason is shown where the selected one cannot be read", async () => {
      writeFileSync(world.path("Pulumi.yaml"), "name: shop\nruntime: nodejs\n");
      const failing = (says: string) =>
        fakePulumi(world, `process.stderr.write(${JSON.stringify(`error: ${says}\n`)}); process.exitCode = 255;`);
      const before = readFileSync(world.path("bin/pulumi"));
      try {
        const why = "open /backend/.pulumi/stacks: permission denied";
        for (const [PATH, reason] of [
          [failing(why), `ended with 255: ${why}.`],
          [world.path("empty"), "failed: the program pulumi is not on the PATH. Install Pulumi."],
        ] as const) {
          const unread = `The selected stack cannot be read: pulumi stack ${reason}`;
          for (const line of [
            "status books",
            "rows books",
            "probe",
            "doctor",
            "list",
            "migrate",
            "compare a:latest b:1",
          ]) {
            const { code, stdout, stderr } = await world.run(line, { ...env, PATH });
            assert.notEqual(code, 0, line);
            assert.ok(`${stdout}${stderr}`.includes(unread), `${line}: ${stdout}${stderr}`);
            assert.doesNotMatch(`${stdout}${stderr}`, /o (?:Pulumi )?stack is selected/, line);
          }
        }
        const none = failing("no stack selected; please use `pulumi stack select` to choose one");
        assert.match((await world.run("status books", { ...env, PATH: none })).stderr, /no Pulumi stack is selected/);
        assert.match((await world.run("list", { ...env, PATH: none })).stderr, /No stack is selected in this folder/);
      } finally {
        writeFileSync(world.path("bin/pulumi"), before);
        rmSync(world.path("Pulumi.yaml"));
      }
    });

    it("are no service without an address: the stack is named", async () => {
      const answers = { config: {}, stack: { deployment: {} }, selected: "bare" };
      writeFileSync(world.path("answers.json"), JSON.stringify(answers));
      const { stderr } = await world.run("status books", env);
      assert.match(stderr, /No service is configured, and stack "bare" names none\. Set WEBEXTRACT_BASE_URL/);
    });
  });
});
