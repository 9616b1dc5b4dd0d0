import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "./harness";
import { World } from "./world";

/** The errors that a preview ends with: what follows `error:`, below the heading of diagnostics. */
async function refusalOf(world: World): Promise<string[]> {
  const { output } = await world.project.preview({ expect: "failure" });
  assert.deepEqual(world.operations(), []);
  assert.doesNotMatch(output, /^\s+at .*[\w>]+.*:\d+:\d+\)?$|node:internal|ProviderError|unhandled/m);
  const diagnostics = output.slice(output.indexOf("Diagnostics:"), output.indexOf("\nResources:"));
  return [...diagnostics.matchAll(/^ +error: (.*)$/gm)].map(([, message]) => String(message));
}

/** What is said of a resource, without the engine's words around it. */
async function problemsOf(world: World): Promise<string[]> {
  const errors = await refusalOf(world);
  return errors.map((error) => error.replace(/^.* resource '\w+' has a problem: /, ""));
}

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

  it("are refused in a preview, all of a resource at once and each by its path", async () => {
    world.program(`new TaskActionConfig("config", {
      actions: { open: { actionTyp: "NavigateAction", properties: {} }, close: "x" }, onDelete: "keep", colour: "red" });`);
    assert.deepEqual(await problemsOf(world), [
      "colour is not a valid name; valid names: taskId, actions, onDelete, profile",
      "taskId is missing: give a non-empty string",
      "actions.close must be a map; got a string",
      "actions.open.actionTyp is not a valid name; valid names: actionType, properties",
      "actions.open.actionType is missing: give a non-empty string",
      "actions.open.properties must be a non-empty map; got an empty map",
      'onDelete must be "retain" or "restore"; got another string',
    ]);
  });

  it("are refused where a list is empty", async () => {
    world.program('new TaskLoopItems("loop", { actionId: "each", loopType: "", items: [] });');
    assert.deepEqual(await problemsOf(world), [
      "taskId is missing: give a non-empty string",
      "loopType must be a non-empty string; got an empty string",
      "items must be a non-empty list of strings; got an empty list",
    ]);
  });

  it("are refused where an item of a list is no item, by its index", async () => {
    world.program(`new TaskLoopItems("loop", { taskId: "task-1", actionId: "each", loopType: "TextList",
      items: ["good", "", "two\\nlines", 3] });`);
    assert.deepEqual(await problemsOf(world), [
      "items[1] must be a non-empty string without a line break; got an empty string",
      "items[2] must be a non-empty string without a line break; got a string with a line break",
      "items[3] must be a non-empty string without a line break; got a number",
    ]);
  });

  it("are refused where a URL is none, by its index", async () => {
    world.program(
      'new TaskStartUrls("urls", { taskId: "task-1", urls: ["https://ok.test/", "nonsense", "ftp://no.test/"] });',
    );
    assert.deepEqual(await problemsOf(world), [
      "urls[1] is not an http or https URL",
      "urls[2] is not an http or https URL",
    ]);
  });

  it("are refused where a URL in a file is none, by its line", async () => {
    world.program('new TaskStartUrls("urls", { taskId: "task-1", file: "urls.txt" });');
    assert.deepEqual(await problemsOf(world), [
      'file "urls.txt", line 3 is not an http or https URL',
      'file "urls.txt", line 5 is not an http or https URL',
    ]);
  });

  it("are refused where both urls and file are given, and where neither is", async () => {
    world.program('new TaskStartUrls("urls", { taskId: "task-1", urls: ["https://ok.test/"], file: "urls.txt" });');
    assert.deepEqual(await problemsOf(world), ["urls and file are both given: give either urls or file"]);
    world.program('new TaskStartUrls("urls", { taskId: "task-1" });');
    assert.deepEqual(await problemsOf(world), ["urls is missing: give either urls or file"]);
  });

  it("are refused where a file is not there or holds nothing, with the place that was looked at", async () => {
    const looked = (name: string): string =>
      `(looked for "${join(world.project.folder, name)}", relative to the program's folder)`;
    world.program('new TaskStartUrls("urls", { taskId: "task-1", file: "not-there.txt" });');
    assert.deepEqual(await problemsOf(world), [`file there is no file "not-there.txt" ${looked("not-there.txt")}`]);
    world.program('new TaskLoopItems("loop", { taskId: "t", actionId: "a", loopType: "l", itemsFile: "empty.txt" });');
    assert.deepEqual(await problemsOf(world), [
      `itemsFile "empty.txt" holds no line that is not blank ${looked("empty.txt")}`,
    ]);
  });

  it("are refused where a resource is declared in the wrong order, with what to move", async () => {
    world.program(`
      const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1" });
      new CloudRun("run", { taskId: copy.id });
      new TaskStartUrls("urls", { taskId: copy.id, urls: ["https://ok.test/"] });`);
    assert.deepEqual(await refusalOf(world), [
      'TaskStartUrls "urls" configures the task of CloudRun "run", which is declared before it. ' +
        'The run would start on a task that is not configured yet. Declare TaskStartUrls "urls" before CloudRun "run".',
    ]);
  });

  it("are refused without a stack where rerunOn is no list, or only the engine's run shows a resource among triggers", async () => {
    const config = 'const config = new TaskCopy("config", { adoptTaskId: "template-1" });';
    for (const [args, message] of [
      ["rerunOn: pulumi.output([config])", /^CloudRun "run": rerunOn must be a list of .*, is an output, of which /],
      ["triggers: [pulumi.output({ a: config })]", /^CloudRun "run": triggers\[0\]\.a is a resource, .* Use rerunOn/],
    ] as const) {
      world.program(`${config} new CloudRun("run", { taskId: "template-1", ${args} });`);
      const [error = "", ...others] = await refusalOf(world);
      assert.match(error, message);
      assert.deepEqual(others, []);
    }
  });

  it("are refused without a stack where a function or a static get is given what cannot be", async () => {
    const nope = 'There is no profile "nope" in webextract:profiles. Known: none.';
    for (const [program, message] of [
      [
        'exports.rows = require("pulumi-webextract").getDataOutput({ taskId: "t" }, { profile: "nope" });',
        `getData: ${nope}`,
      ],
      ['TaskCopy.get("task", "t", { profile: "nope" });', `TaskCopy "task": ${nope}`],
    ] as const) {
      world.program(program);
      assert.deepEqual(await refusalOf(world), [message]);
    }
  });

  it("are refused in an up where they turn out wrong that a preview could not know", async () => {
    world.program(`const task = new TaskCopy("task", { adoptTaskId: "template-1" });
      new TaskActionConfig("config", { taskId: task.id, onDelete: task.id.apply((id) => id),
        actions: { open: { actionType: "NavigateAction", properties: { Url: "https://ok.test/" } } } });`);
    const { output } = await world.project.up({ expect: "failure" });
    assert.match(
      output,
      /error: .*'config' has a problem: onDelete must be "retain" or "restore"; got another string$/m,
    );
    assert.deepEqual(world.operations(), []);
  });
});

/** More than one resource: what is wrong with the configuration is nothing that each of them should say. */
const several = `
const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1" });
new TaskStartUrls("urls", { taskId: copy.id, urls: ["https://ok.test/"] });
new CloudRun("run", { taskId: copy.id });
`;

describe("a configuration that cannot work", () => {
  const malformed = "not-json-but-a-secret-4402";
  let world: World;
  before(async () => {
    world = await World.create({
      program: several,
      withCredentials: false,
      config: {
        "webextract:baseUrl": "",
        "webextract:baseURL": "https://service.test/",
        "webextract:timeoutSeconds": "soon",
        "webextract:markScope": "everything",
      },
      secrets: { "webextract:profiles": malformed },
    });
  });
  after(() => world.remove());

  it("is refused in a preview, once and with all that is wrong with it", async () => {
    const { output } = await world.project.preview({ expect: "failure" });
    assert.deepEqual(world.operations(), []);
    const diagnostics = output.slice(output.indexOf("Diagnostics:"), output.indexOf("\nResources:"));
    assert.equal(diagnostics.match(/error:/g)?.length, 1, diagnostics);
    const problems = diagnostics.split("\n").map((line) => line.trim());
    for (const problem of [
      "error: The configuration of pulumi-webextract is not right:",
      "webextract:timeoutSeconds must be a number.",
      "webextract:markScope must be task or returned.",
      "webextract:profiles must be a map of profiles.",
    ]) {
      assert.equal(problems.filter((line) => line === problem).length, 1, `${problem}\n${diagnostics}`);
    }
    assert.match(diagnostics, /webextract:baseUrl is missing\. Set it with: pulumi config set webextract:baseUrl/);
    assert.match(diagnostics, /webextract:baseURL is not known\. Known: baseUrl, /);
    assert.doesNotMatch(output, /^\s+at |node:internal|unhandled/m);
    assert.deepEqual(world.project.findWritten([malformed]), []);
  });

  it("is refused where the address is plain http to another machine, or a token holds a line break", async () => {
    await world.project.run(["config", "rm", "webextract:baseURL"]);
    await world.project.run(["config", "rm", "webextract:profiles"]);
    await world.project.configure(
      {
        "webextract:baseUrl": "http://service.test/api",
        "webextract:timeoutSeconds": "-1",
        "webextract:markScope": "task",
      },
      { "webextract:accessToken": `${malformed}\nX-Header: 1` },
    );
    const { output } = await world.project.preview({ expect: "failure" });
    assert.match(output, /webextract:baseUrl is plain http to service\.test/);
    assert.match(output, /webextract:timeoutSeconds must be a number of at least 0\.001\./);
    assert.match(output, /webextract:accessToken holds a space, a line break/);
    assert.doesNotMatch(output, /^\s+at |node:internal|unhandled/m);
    assert.deepEqual(world.project.findWritten([malformed]), []);
  });
});

describe("a package that the engine would not find from the program's folder", () => {
  it("is refused in a preview, with the folder and what to do", async () => {
    const world = await World.create({ program: "", withCredentials: false });
    try {
      rmSync(join(world.project.folder, "node_modules", "pulumi-webextract"));
      world.project.write(
        "index.js",
        `const { TaskCopy } = require(${JSON.stringify(repositoryRoot)});
         new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1" });`,
      );
      const [error = "", ...others] = await refusalOf(world);
      assert.deepEqual(others, []);
      assert.ok(error.includes(world.project.folder), error);
      assert.match(
        error,
        /Add pulumi-webextract to the dependencies in that folder's package.json and run npm install/,
      );
    } finally {
      await world.remove();
    }
  });
});
