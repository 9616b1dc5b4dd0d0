import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Seed } from "webextract-emulator";
import type { AdoptTarget } from "../../cli/test/internals/adopt";
import { adoptedFiles, readTasks, Secrets, writeFiles } from "../../cli/test/internals/adopt";
import { planReport, readPlan } from "../../cli/test/internals/planReport";
import { hostileStrings } from "../hostile";
import { Host } from "../internals/provider";
import { noEngine } from "../program/inProcess";
import { World } from "./world";

const items = Array.from(
  { length: 5_000 },
  (_, index) => `https://bücher.test/größe/${index}?q=東京&p=🙂#${index % 7}`,
);

const seed: Seed = {
  taskGroups: [{ taskGroupId: "group-1" }],
  tasks: [
    {
      taskId: "novels",
      taskGroupId: "group-1",
      actions: [
        {
          actionType: "NavigateAction",
          actionId: "open",
          name: "Öffne: die Seite",
          properties: {
            Url: "https://bücher.test/größe/?q=東京#🙂",
            Wait: "2",
            Ratio: "1.10",
            Code: "012",
            Answer: "no",
            Flag: "true",
            Empty: "",
            Script: "if (a) {\n\treturn '# \"x\"';\n}\n",
            // biome-ignore lint/suspicious/noTemplateCurlyInString: a manifest would take it for a variable
            Template: "${price} $${}",
            Space: "  two  ",
          },
        },
        { actionType: "EnterTextAction", actionId: "012", properties: { TextToSet: "- größer: 'ja'" } },
        { actionType: "LoopAction", actionId: "each", loopType: "UrlList", loopItems: items },
        {
          actionType: "LoopAction",
          actionId: "texts",
          loopType: "TextList",
          loopItems: ["no", "012", " # x ", "東京"],
        },
        { actionType: "LoopAction", actionId: "none", loopType: "TextList", loopItems: [] },
        {
          actionType: "PaginationAction",
          actionId: "pages",
          properties: { NextSelector: "a.next > b", MaxPages: "3" },
        },
      ],
    },
    {
      taskId: "kids/1",
      taskGroupId: "group-1",
      actions: [{ actionType: "NavigateAction", actionId: "open", properties: { Url: "https://kids.test/" } }],
    },
  ],
};

/** The context of a provider with the emulator's credentials. */
function contextOf({ emulator }: World) {
  const config: Record<string, string> = { baseUrl: emulator.url, accessToken: emulator.credentials.accessToken };
  const host = new Host(
    (key) => config[key],
    noEngine(() => undefined, new AbortController().signal),
  );
  return host.context(undefined, undefined);
}

describe("adopted tasks on the engine", () => {
  let world: World;
  before(async () => {
    world = await World.create({
      seed,
      program: "",
      emulator: { behaviour: { getActionsEmptyTypes: "all", propertyValues: "typed", loopTypeRead: "upperUrl" } },
    });
  });
  after(() => world.remove());

  const adopt = async (target: Omit<AdoptTarget, "folder">): Promise<Map<string, string>> => {
    const ids = seed.tasks?.map(({ taskId }) => ({ taskId })) ?? [];
    const { tasks } = await readTasks(ids, [], new Secrets(), contextOf(world));
    const { files } = adoptedFiles(tasks, { ...target, folder: world.project.folder });
    await writeFiles(files, world.project.folder);
    return new Map(files.map(({ path, content }) => [path, content]));
  };

  const writes = (): string[] => world.operations().filter((operation) => !operation.startsWith("get"));

  /** The changes of a preview, without those that change nothing. */
  const changes = async (): Promise<Record<string, number>> => {
    const { same: _same, ...others } = (await world.project.previewJson()).changeSummary;
    return others;
  };

  it("need no write and show no change after the first up, as manifests", async () => {
    const files = await adopt({ out: "tasks" });
    assert.deepEqual([...files.keys()], ["tasks/novels.yaml", "tasks/kids-1.yaml", "tasks/items/novels-each.txt"]);
    world.program(`
      const { Manifest } = require("pulumi-webextract");
      new Manifest("tasks", { path: "tasks" });
    `);
    world.operations();
    await world.project.up();
    assert.deepEqual(writes(), []);
    await world.project.up({ args: ["--refresh", "--expect-no-changes"] });
    assert.deepEqual(writes(), []);
    const { actions } = world.project.resource("novels").inputs as { actions: Record<string, unknown> };
    assert.deepEqual(Object.keys(actions).sort(), ["012", "each", "open", "pages", "texts"]);
  });

  it("show each change in the report of a preview, without secrets", async () => {
    const [manifest, list] = ["tasks/novels.yaml", "tasks/items/novels-each.txt"];
    const before = [manifest, list].map((path) => readFileSync(join(world.project.folder, path), "utf8"));
    const [text = "", lines = ""] = before;
    const changed = text.replace("Wait: 2\n", `Wait: 3\n      Cookie: "\${cookie}"\n`).concat("\nrun: {}\n");
    world.project.write(manifest, changed.replace('        - "no"\n', '        - "yes"\n'));
    world.project.write(list, lines.slice(lines.indexOf("\n") + 1));
    world.program(`
      const { Manifest } = require("pulumi-webextract");
      new Manifest("tasks", { path: "tasks", variables: { cookie: pulumi.secret("very-secret-cookie") } });
    `);
    const report = planReport(readPlan(JSON.stringify(await world.project.previewJson())));
    assert.match(report, /> - CloudRun `novels` starts a run, which may cost money\./);
    assert.match(report, /### Task `novels` \(`novels`\)|### Task `novels`\n/);
    assert.match(report, /`actions\.open\.properties\.Wait` \| `2` \| `3`/);
    assert.match(report, /`actions\.open\.properties\.Cookie` \| {2}\| `\[secret\]`/);
    assert.match(report, /`actions\.texts\.loop\.items` \| \| \+1 \/ -1<br>`\+ yes`<br>`- no`/);
    assert.match(report, /`actions\.each\.loop\.count` \| `5000` \| `4999`/);
    assert.doesNotMatch(report, /very-secret-cookie|kids/);
    world.project.write(manifest, text);
    world.project.write(list, lines);
  });

  it("are the same as a program in TypeScript", async () => {
    const files = await adopt({ out: "tasks/adopted.ts" });
    const program = files.get("tasks/adopted.ts") ?? "";
    world.program(
      program
        .replace(/^import .*$/m, "")
        .replaceAll("export const", "const")
        .replaceAll(/^\}\);$/gm, `}, { parent, aliases: [{ parent: pulumi.rootStackResource }] });`)
        .replace(/^/, 'const parent = new pulumi.ComponentResource("webextract:index:Manifest", "tasks");\n'),
    );
    world.operations();
    assert.deepEqual(await changes(), {});
    assert.deepEqual(world.operations(), []);
  });
});

describe("sixty adopted tasks with hostile names and values, in one file", () => {
  let world: World;
  // An action with the word passwd is one that types a password.
  const texts = hostileStrings
    .map(({ text }) => text.replace(/\p{Cs}/gu, "").replaceAll("passwd", "hosts"))
    .filter((text) => text.trim() !== "");
  const ids = Array.from({ length: 60 }, (_, index) => `task-${index}`);
  before(async () => {
    const tasks = ids.map((taskId, index) => ({
      taskId,
      taskGroupId: "group-1",
      actions: [
        {
          actionType: "EnterTextAction",
          actionId: texts[index] ?? taskId,
          properties: Object.fromEntries(
            texts.slice(index * 3, index * 3 + 6).map((text, at) => [at % 2 === 0 ? `Text${at}` : text, text]),
          ),
        },
        {
          actionType: "LoopAction",
          actionId: `each-${index}`,
          loopType: "TextList",
          loopItems: texts.slice(index, index + 30).filter((text) => !/[\r\n]|^\ufeff/.test(text)),
        },
      ],
    }));
    world = await World.create({
      seed: { taskGroups: [{ taskGroupId: "group-1" }], tasks },
      program: "",
      emulator: { behaviour: { getActionsEmptyTypes: "all" } },
    });
  });
  after(() => world.remove());

  it("need no write, and show no change after the first up", async () => {
    const { tasks } = await readTasks(
      ids.map((taskId) => ({ taskId })),
      [],
      new Secrets(),
      contextOf(world),
    );
    const { files } = adoptedFiles(tasks, { out: "all.yaml", folder: world.project.folder });
    await writeFiles(files, world.project.folder);
    const secrets = [...(files[0]?.content ?? "").matchAll(/# The variable ([\w-]+) is/g)].map(([, name]) => name);
    assert.deepEqual(secrets, [], "no value has the shape of a secret");
    world.program(`
      const { Manifest } = require("pulumi-webextract");
      new Manifest("all", { path: "all.yaml" });
    `);
    world.operations();
    await world.project.up();
    assert.deepEqual(
      world.operations().filter((operation) => !operation.startsWith("get")),
      [],
    );
    const { output } = await world.project.up({ args: ["--refresh", "--expect-no-changes"] });
    assert.match(output, /62 unchanged/);
    const { actions } = world.project.resource("task-3").inputs as { actions: Record<string, unknown> };
    assert.equal(Object.keys(actions).length, 2);
  });
});
