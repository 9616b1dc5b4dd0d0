import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { isLarge, slowIt } from "../environment";
import { pathOf } from "../program/inProcess";
import { repositoryRoot } from "./harness";
import { pluginFolder } from "./plugin/nativeWorld";
import { World } from "./world";

/** Previews, and asserts that the preview is refused without a request and without a stack trace. @returns the diagnostics. */
async function refusedPreview(world: World): Promise<string> {
  const { output } = await world.project.preview({ expect: "failure" });
  assert.deepEqual(world.operations(), []);
  assert.doesNotMatch(output, /^\s+at .*[\w>]+.*:\d+:\d+\)?$|node:internal|ProviderError|unhandled/m);
  return output.slice(output.indexOf("Diagnostics:"), output.indexOf("\nResources:"));
}

/** The errors of a refused preview: the text after `error:`. */
async function refusalOf(world: World): Promise<string[]> {
  return [...(await refusedPreview(world)).matchAll(/^ +error: (.*)$/gm)].map(([, message]) => String(message));
}

/** The problems in the diagnostics of a refused preview, as `RESOURCE PATH`: of the resource that the engine refuses, and of the others. */
function pathsIn(diagnostics: string): string[] {
  const own = [...diagnostics.matchAll(/resource '(\w+)' has a problem: (.*)/g)];
  const others = [...diagnostics.matchAll(/^ +\w+ "(\w+)": (.*)/gm)];
  return [...own, ...others].map(([, name, problem = ""]) => `${name} ${pathOf(problem)}`);
}

/** Resources with invalid arguments. test/resources/check.test.ts tests the wording. */
const invalid = `
new TaskActionConfig("config", {
  actions: { open: { actionTyp: "NavigateAction", properties: {} }, close: "x" }, onDelete: "keep", colour: "red" });
new TaskParameters("values", { taskId: "task-1", actions: { open: { actionType: "NavigateAction",
  properties: { a: NaN, b: -Infinity, c: 2 ** 53, d: [], e: 3, f: true } } } });
new TaskLoopItems("emptyList", { actionId: "each", loopType: "", items: [] });
new TaskLoopItems("items", { taskId: "task-1", actionId: "each", loopType: "TextList",
  items: ["good", "", "two\\nlines", 3] });
new TaskStartUrls("urls", { taskId: "task-1", urls: ["https://ok.test/", "nonsense", "ftp://no.test/"] });
new TaskStartUrls("both", { taskId: "task-2", urls: ["https://ok.test/"], file: "urls.txt" });
new TaskStartUrls("neither", { taskId: "task-3" });
`;

/** The program means the value of the Output. */
const textOfOutput = `
const site = pulumi.output("https://shop.test");
const task = new ExtractionTask("products", { from: { sourceTaskId: "template-1", taskGroupId: "group-1" },
  actions: { open: { actionType: "NavigateAction", properties: { Url: \`\${site}/start\` } } } });
new CloudRun("run", { taskId: task.id, rerunOn: [task] });
`;

describe("bad arguments on the engine", () => {
  let world: World;
  before(async () => {
    world = await World.create({
      program: "",
      withCredentials: false,
      files: {
        "urls.txt": "https://ok.test/\n\nnonsense\nhttps://ok.test/2\nftp://no.test/\n",
        "empty.txt": "\n\n",
      },
    });
  });
  after(() => world.remove());

  it("are refused in one preview, with the path of each problem of each resource", async () => {
    world.program(invalid);
    assert.deepEqual(pathsIn(await refusedPreview(world)).sort(), [
      "both urls",
      "config actions.close",
      "config actions.open.actionTyp",
      "config actions.open.actionType",
      "config actions.open.properties",
      "config colour",
      "config onDelete",
      "config taskId",
      "emptyList items",
      "emptyList loopType",
      "emptyList taskId",
      "items items[1]",
      "items items[2]",
      "items items[3]",
      "neither urls",
      "urls urls[1]",
      "urls urls[2]",
      ...["a", "b", "c", "d"].map((name) => `values actions.open.properties.${name}`),
    ]);
  });

  slowIt("are refused if a URL in a file is invalid, with its line", async () => {
    world.program('new TaskStartUrls("urls", { taskId: "task-1", file: "urls.txt" });');
    const problems = await refusalOf(world);
    assert.deepEqual(
      problems.map((problem) => /"urls\.txt".*\bline (\d+)/.exec(problem)?.[1]),
      ["3", "5"],
    );
  });

  slowIt("are refused if a file is missing, with its resolved path, or empty", async () => {
    const looksFor = async (path: string): Promise<void> => {
      const [problem = "", ...others] = await refusalOf(world);
      assert.deepEqual(others, []);
      assert.ok(problem.includes(path), problem);
    };
    world.program('new TaskStartUrls("urls", { taskId: "task-1", file: "not-there.txt" });');
    await looksFor(join(world.project.folder, "not-there.txt"));
    world.program('new TaskLoopItems("loop", { taskId: "t", actionId: "a", loopType: "l", itemsFile: "empty.txt" });');
    await looksFor('"empty.txt", which has only blank lines');
  });

  slowIt("are refused if a resource is declared in the wrong order, with what to move", async () => {
    world.program(`
      const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1" });
      new CloudRun("run", { taskId: copy.id });
      new TaskStartUrls("urls", { taskId: copy.id, urls: ["https://ok.test/"] });`);
    const [error = "", ...others] = await refusalOf(world);
    assert.match(error, /TaskStartUrls "urls".*CloudRun "run"/);
    assert.deepEqual(others, []);
  });

  slowIt("are refused without a stack trace if triggers contain a resource", async () => {
    const config = 'const config = new TaskCopy("config", { adoptTaskId: "template-1" });';
    const triggers = "triggers: [pulumi.output({ a: config })]";
    world.program(`${config} new CloudRun("run", { taskId: "template-1", ${triggers} });`);
    const [error = "", ...others] = await refusalOf(world);
    assert.ok(error.startsWith('CloudRun "run": triggers[0].a '), error);
    assert.deepEqual(others, []);
  });

  slowIt("are refused without a stack trace if they belong to a function or a static get", async () => {
    const programs = [
      ['exports.rows = require("pulumi-webextract").getDataOutput({ taskId: "t" }, { profile: "nope" });', "getData"],
      ['TaskCopy.get("task", "t", { profile: "nope" });', 'TaskCopy "task"'],
    ] as const;
    for (const [program, who] of isLarge ? programs : programs.slice(1)) {
      world.program(program);
      const [error = "", ...others] = await refusalOf(world);
      assert.ok(error.startsWith(`${who}: `) && error.includes('"nope"'), error);
      assert.deepEqual(others, []);
    }
  });

  it("are refused in an up if a preview did not know them", async () => {
    world.program(`const task = new TaskCopy("task", { adoptTaskId: "template-1" });
      new TaskActionConfig("config", { taskId: task.id, onDelete: task.id.apply((id) => id),
        actions: { open: { actionType: "NavigateAction", properties: { Url: "https://ok.test/" } } } });`);
    const { output } = await world.project.up({ expect: "failure" });
    assert.match(output, /error: .*'config' has a problem: onDelete /m);
    assert.deepEqual(world.operations(), []);
  });
});

/** Several resources, because an error of the configuration must be shown only once. */
const several = `
const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1" });
new TaskStartUrls("urls", { taskId: copy.id, urls: ["https://ok.test/"] });
new CloudRun("run", { taskId: copy.id });
`;

describe("the text of an Output on the engine", () => {
  let world: World;
  before(async () => {
    world = await World.create({ program: textOfOutput, withCredentials: false, path: [pluginFolder()] });
  });
  after(() => world.remove());

  it("is refused in a preview by the dynamic provider, with the function to use", async () => {
    const diagnostics = await refusedPreview(world);
    assert.deepEqual(pathsIn(diagnostics), ["products actions.open.properties.Url"]);
    assert.match(diagnostics, /To make a string of an Output, use pulumi\.interpolate/);
  });

  slowIt("is refused in a preview by the native plugin too", async () => {
    await world.project.configure({ "webextract:native": "true" });
    const { output } = await world.project.preview({ expect: "failure" });
    assert.match(output, /actions\.open\.properties\.Url has the text .* use pulumi\.interpolate/);
    assert.deepEqual(world.operations(), []);
  });

  slowIt("is refused in the argument of a function", async () => {
    world.program(
      'require("pulumi-webextract").getActions({ taskIds: [String(pulumi.output("t"))] }, { plain: true });',
    );
    assert.match(await refusedPreview(world), /getActions: taskIds\[0\] has the text .*No request was sent/);
  });
});

describe("an invalid configuration", () => {
  const malformed = "not-json-but-a-secret-4402";
  let world: World;
  before(async () => {
    world = await World.create({
      program: several,
      withCredentials: false,
      config: {
        "webextract:baseUrl": "http://service.test/api",
        "webextract:baseURL": "https://service.test/",
        "webextract:timeoutSeconds": "soon",
        "webextract:markScope": "everything",
      },
      secrets: { "webextract:profiles": malformed, "webextract:accessToken": `${malformed}\nX-Header: 1` },
    });
  });
  after(() => world.remove());

  it("is refused in a preview with one error that lists all problems, among them plain http to another machine and a line break in a token", async () => {
    const { output } = await world.project.preview({ expect: "failure" });
    assert.deepEqual(world.operations(), []);
    const diagnostics = output.slice(output.indexOf("Diagnostics:"), output.indexOf("\nResources:"));
    assert.equal(diagnostics.match(/error:/g)?.length, 1, diagnostics);
    const problems = diagnostics.split("\n").map((line) => line.trim());
    const keys = ["accessToken", "baseURL", "baseUrl", "markScope", "profiles", "timeoutSeconds"];
    for (const key of keys.map((key) => `webextract:${key}`)) {
      assert.equal(problems.filter((line) => line.startsWith(`${key} `)).length, 1, `${key}\n${diagnostics}`);
    }
    assert.doesNotMatch(output, /^\s+at |node:internal|unhandled/m);
    assert.deepEqual(world.project.findWritten([malformed]), []);
  });
});

describe("a package that the engine cannot resolve from the program's folder", () => {
  it("is refused in a preview, with the folder and the solution", async () => {
    const world = await World.create({ program: "", withCredentials: false });
    try {
      rmSync(join(world.project.folder, "node_modules", "pulumi-webextract"), { recursive: true });
      world.project.write(
        "index.js",
        `const { TaskCopy } = require(${JSON.stringify(repositoryRoot)});
         new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1" });`,
      );
      const [error = "", ...others] = await refusalOf(world);
      assert.deepEqual(others, []);
      assert.ok(error.includes(world.project.folder), error);
      assert.match(error, /package\.json.*npm install/);
    } finally {
      await world.remove();
    }
  });
});
