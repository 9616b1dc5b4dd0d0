import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { failure, useWorld } from "../life";

describe("TaskStartUrls", () => {
  const world = useWorld();

  const urls = ["https://a.test/1", "https://b.test/2"];
  const upload = (): unknown => world.sent("updateTaskUrls").at(-1);

  it("uploads a list as a file with the API key, and again only when it changed", async () => {
    const start = world.declare("TaskStartUrls");
    await start.up({ taskId: "task-1", urls });
    const content = "https://a.test/1\nhttps://b.test/2\n";
    const sha256 = createHash("sha256").update(content).digest("hex");
    assert.deepEqual(upload(), {
      taskId: "task-1",
      file: { name: "urls.txt", bytes: content.length, sha256, lines: 2 },
    });
    assert.equal(world.emulator.requests.at(-1)?.credential, "apiKey");
    const { count, hosts, sha256: kept } = start.state;
    assert.deepEqual([start.id, count, hosts, kept], ["task-1", 2, ["a.test", "b.test"], sha256]);
    assert.equal(await start.up({ taskId: "task-1", urls }), "nothing");
    assert.equal(await start.refresh(), true);
    assert.equal(await start.up({ taskId: "task-1", urls: [...urls].reverse() }), "updated");
    assert.deepEqual(world.operations(), ["getData", "updateTaskUrls", "updateTaskUrls"]);
    assert.deepEqual(world.emulator.inspect.startUrls("task-1"), [...urls].reverse());
  });

  it("uploads nothing for a file with the same URLs, whatever its line ends", async () => {
    const start = world.declare("TaskStartUrls");
    await start.up({ taskId: "task-1", urls });
    world.write("urls.txt", `\ufeff${urls.join("\r\n\r\n")}`);
    assert.equal(await start.up({ taskId: "task-1", file: "urls.txt" }), "updated");
    assert.deepEqual(world.operations(), ["getData", "updateTaskUrls"]);
    assert.equal(start.state.file, "urls.txt");
  });

  it("refuses a file that changed after the check", async () => {
    world.write("urls.txt", urls.join("\n"));
    const { inputs } = await world.providers
      .provider("TaskStartUrls")
      .check({}, { taskId: "task-1", file: "urls.txt" });
    world.write("urls.txt", "https://c.test/3");
    const message = await failure(world.providers.provider("TaskStartUrls").create(inputs));
    assert.match(
      message,
      /^The file "urls.txt" of task "task-1" changed after the check: it has other content\. No part of it was sent/,
    );
    assert.deepEqual(world.operations(), []);
  });

  it("names a file that was removed after the check, in each resource, and sends nothing", async () => {
    const loop = { loopType: "UrlList", itemsFile: "gone.txt" };
    const actions = { each: { actionType: "LoopAction", loop } };
    const startUrls = { file: "gone.txt" };
    const from = { adoptTaskId: "task-1" };
    for (const [type, args] of [
      ["TaskStartUrls", { taskId: "task-1", ...startUrls }],
      ["TaskLoopItems", { taskId: "task-1", actionId: "each", ...loop }],
      ["TaskParameters", { taskId: "task-1", actions }],
      ["ExtractionTask", { from, startUrls }],
    ] as const) {
      world.write("gone.txt", urls.join("\n"));
      const provider = world.providers.provider(type);
      const { inputs } = await provider.check({}, args);
      rmSync(world.path("gone.txt"));
      const message = await failure(provider.create(inputs));
      const said = 'The file "gone.txt" of task "task-1" changed after the check: it does not exist (looked for "';
      assert.ok(message.startsWith(said), message);
      world.write("gone.txt", Buffer.from("\xe9", "latin1"));
      assert.match(await failure(provider.create(inputs)), /it is not UTF-8 in line 1\. No part of it was sent/);
      assert.deepEqual(
        world.operations().filter((operation) => operation !== "getActions"),
        [],
      );
    }
  });

  it("uploads again with the next up if the response was lost", async () => {
    const start = world.declare("TaskStartUrls");
    world.emulator.fault({ operation: "updateTaskUrls", kind: "reset", when: "before" });
    await failure(start.up({ taskId: "task-1", urls }));
    assert.deepEqual([start.id, start.state.pending], ["task-1", ["write"]]);
    await start.refresh();
    assert.equal(await start.up({ taskId: "task-1", urls }), "updated");
    assert.deepEqual(world.emulator.inspect.startUrls("task-1"), urls);
  });

  it("keeps the earlier list in its state when an upload was refused", async () => {
    const start = world.declare("TaskStartUrls");
    await start.up({ taskId: "task-1", urls });
    world.emulator.setPlan("free");
    assert.match(
      await failure(start.up({ taskId: "task-1", urls: ["https://c.test/"] })),
      /Professional or Enterprise/,
    );
    assert.equal(start.state.count, 2);
  });

  it("names all problems at once, in the arguments and in the list", async () => {
    const problems = await world.providers.problems("TaskStartUrls", { colour: "red", urls: ["nope"], file: "x" });
    assert.deepEqual(problems, [
      "colour is not a valid name; valid names: taskId, urls, file, profile",
      "taskId is missing: it must be a non-empty string",
      "urls and file are both given: give either urls or file",
    ]);
    assert.deepEqual(await world.providers.problems("TaskStartUrls", { taskId: "t", urls: 7 }), [
      "urls must be a non-empty list of strings; got a number",
    ]);
    world.write("urls.txt", "https://a.test/\nnope\n");
    assert.deepEqual(await world.providers.problems("TaskStartUrls", { taskId: true, file: "urls.txt" }), [
      "taskId must be a non-empty string; got a boolean",
      'file "urls.txt", line 2 is not an http or https URL',
    ]);
  });

  it("keeps the list on delete, and says so", async () => {
    const start = world.declare("TaskStartUrls");
    await start.up({ taskId: "task-1", urls });
    world.operations();
    await start.destroy();
    assert.deepEqual(world.operations(), []);
    assert.match(world.warnings.join(), /^Task "task-1" keeps its 2 start URLs/);
  });
});
