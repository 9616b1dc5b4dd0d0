import assert from "node:assert/strict";
import { isLarge } from "../../environment";
import { useWorld } from "../life";

/** The largest number with the slow tests only. */
const count = isLarge ? 1_000_000 : 100_000;

/** Lines that are like those of a real file, with the line ends of the other world in it. */
function lines(of: (index: number) => string, lineEnd: string): string {
  return Array.from({ length: count }, (_, index) => of(index) + lineEnd).join("");
}

describe(`files of ${count.toLocaleString("en")} lines`, () => {
  const world = useWorld();

  const url = (index: number): string => `https://shop.test/item/${index}`;

  it("are uploaded as start URLs, and not again with other line ends", async () => {
    world.write("urls.txt", lines(url, "\n"));
    const start = world.declare("TaskStartUrls");
    await start.up({ taskId: "task-1", file: "urls.txt" });
    const { count: sent, hosts } = start.state;
    assert.deepEqual([sent, hosts], [count, ["shop.test"]]);
    const uploaded = world.emulator.inspect.startUrls("task-1");
    assert.deepEqual([uploaded.length, uploaded[0], uploaded.at(-1)], [count, url(0), url(count - 1)]);
    world.operations();
    world.write("urls.txt", `\ufeff${lines(url, "\r\n")}`);
    assert.equal(await start.up({ taskId: "task-1", file: "urls.txt" }), "nothing");
    assert.deepEqual(world.operations(), []);
  });

  it("are set as a loop's items, of which an append sends only what is new", async () => {
    const item = (index: number): string => `item ${index}`;
    world.write("items.txt", lines(item, "\r\n"));
    const items = world.declare("TaskLoopItems");
    const loop = { taskId: "task-1", actionId: "each", loopType: "TextList", itemsFile: "items.txt" };
    await items.up({ ...loop, mode: "append" });
    assert.equal(items.state.count, count);
    world.emulator.clearRequests();
    world.write("items.txt", `${lines(item, "\n")}one more\n`);
    assert.equal(await items.up({ ...loop, mode: "append" }), "updated");
    const sent = world.sent("updateLoopItems") as { loopItems: string[] }[];
    assert.deepEqual(
      sent.map(({ loopItems }) => loopItems),
      [["one more"]],
    );
  });
});
