import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { World } from "../life";

describe("a file that arguments name", () => {
  let world: World;
  let outside: string;
  before(async () => {
    world = await World.create();
    outside = mkdtempSync(join(tmpdir(), "webextract-outside-"));
    writeFileSync(join(outside, "lines.txt"), "https://outside.test/\n");
    world.write("inside.txt", "https://inside.test/\n");
    symlinkSync(world.path("inside.txt"), world.path("link-inside.txt"));
    symlinkSync(join(outside, "lines.txt"), world.path("link-outside.txt"));
    symlinkSync(outside, world.path("folder-outside"));
    mkdirSync(world.path("folder"));
    mkdirSync(world.path("..folder"));
    world.write("..folder/lines.txt", "https://inside.test/\n");
    execFileSync("mkfifo", [world.path("fifo")]);
  });
  after(async () => {
    await world.remove();
    rmSync(outside, { recursive: true });
  });

  const loop = { loopType: "UrlList" };
  const run = { taskId: "task-1", scope: "batch", lotNo: "1", path: "rows.ndjson" };
  /** Each argument that names a file. */
  const places: readonly [type: string, path: string, args: (file: string) => Record<string, unknown>][] = [
    ["TaskLoopItems", "itemsFile", (itemsFile) => ({ taskId: "task-1", actionId: "each", ...loop, itemsFile })],
    ["TaskStartUrls", "file", (file) => ({ taskId: "task-1", file })],
    [
      "TaskParameters",
      "actions.each.loop.itemsFile",
      (itemsFile) => ({
        taskId: "task-1",
        actions: { each: { actionType: "LoopAction", loop: { ...loop, itemsFile } } },
      }),
    ],
    ["ExtractionTask", "startUrls.file", (file) => ({ from: { adoptTaskId: "task-1" }, startUrls: { file } })],
    ["DataExport", "checks.schema", (schema) => ({ ...run, checks: { schema } })],
  ];
  const refusal = async (type: string, args: Record<string, unknown>): Promise<string> => {
    world.operations();
    const message = await world
      .declare(type)
      .up(args)
      .then(
        () => "",
        (error: Error) => error.message,
      );
    assert.deepEqual(message === "" ? [] : world.operations(), []);
    return message;
  };

  for (const [type, path, args] of places) {
    it(`is refused as ${path} of ${type} outside of the program's folder, and if it is not a regular file`, async () => {
      const elsewhere = [
        join(outside, "lines.txt"),
        "link-outside.txt",
        "folder-outside/lines.txt",
        "/proc/self/environ",
      ];
      for (const file of elsewhere) {
        const message = await refusal(type, args(file));
        assert.ok(message.startsWith(`${path} names "${file}", which is the file "/`), message);
        assert.match(message, /outside of the program's folder\. Copy it .* webextract:allowedFolders/);
      }
      for (const file of ["folder", "fifo", "/dev/zero"]) {
        const message = await refusal(type, args(file));
        assert.ok(message.startsWith(`${path} names "${file}", which is not a file`), message);
      }
    });
  }

  it("can be a link to a file in the program's folder, and a file in an allowed folder", async () => {
    const items = (itemsFile: string) => places[0]?.[2](itemsFile) ?? {};
    for (const file of ["inside.txt", "link-inside.txt", "..folder/lines.txt"]) {
      assert.equal(await refusal("TaskLoopItems", items(file)), "", file);
    }
    world.configure({ allowedFolders: `nowhere,${outside}` });
    for (const file of [join(outside, "lines.txt"), "link-outside.txt", "folder-outside/lines.txt"]) {
      assert.equal(await refusal("TaskLoopItems", items(file)), "", file);
    }
    assert.match(await refusal("TaskLoopItems", items("/proc/self/environ")), /outside of the program's folder/);
  });

  it("is not sent if it became a link to another place after the check", async () => {
    world.configure({ allowedFolders: "" });
    world.write("moved.txt", "https://inside.test/\n");
    const hold = world.emulator.hold({ operation: "getActions" });
    const args = { taskId: "task-1", actionId: "each", ...loop, itemsFile: "moved.txt", onDelete: "restore" };
    const ended = world.declare("TaskLoopItems").up(args);
    await hold.reached;
    rmSync(world.path("moved.txt"));
    symlinkSync(join(outside, "lines.txt"), world.path("moved.txt"));
    hold.release();
    await assert.rejects(ended, /outside of the program's folder/);
    assert.ok(!world.operations().includes("updateLoopItems"));
  });
});
