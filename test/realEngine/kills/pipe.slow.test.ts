import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { World } from "../world";

/** Keeps what it gets, and ends when the test lets it. Without an answer, as after a kill, it fails. */
const load = `
const { appendFileSync, readFileSync } = require("node:fs");
const rows = readFileSync(0, "utf8");
fetch(process.argv[2]).then(() => appendFileSync("loaded", rows), () => process.exit(1));
`;

const program = (gate: string): string => `
new DataExport("rows", {
  taskId: "template-1", scope: "all", path: "rows-{n}.ndjson", markExported: true, pipe: ["node", "load.js", "${gate}"],
});
`;

const rows = ['{"id":1}', '{"id":2}'];
const content = rows.map((row) => `${row}\n`).join("");

/** Holds the commands of pipe. */
class Gate {
  private readonly server = createServer((_request, response) => {
    this.held.push(response);
    this.server.emit("held");
    if (this.isOpen) {
      this.open();
    }
  });
  private readonly held: ServerResponse[] = [];
  private isOpen = false;

  static async start(): Promise<Gate> {
    const gate = new Gate();
    gate.server.listen(0, "127.0.0.1");
    await once(gate.server, "listening");
    return gate;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  get reached(): Promise<unknown> {
    return once(this.server, "held");
  }

  open(): void {
    this.isOpen = true;
    for (const response of this.held.splice(0)) {
      response.end();
    }
  }

  close(): void {
    this.isOpen = false;
  }

  /** The commands that are held fail. */
  refuse(): void {
    this.server.closeAllConnections();
    this.held.length = 0;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

describe("a kill of an export while its command of pipe gets the rows", () => {
  let world: World;
  let gate: Gate;
  beforeEach(async () => {
    gate = await Gate.start();
    world = await World.create({ program: program(gate.url) });
    world.project.write("load.js", load);
    world.emulator.change.insertRows("template-1", rows);
  });
  afterEach(async () => {
    gate.stop();
    await world.remove();
  });

  const files = (): string[] =>
    readdirSync(world.project.folder)
      .filter((name) => name.startsWith("rows-"))
      .sort();
  const read = (name: string): string => readFileSync(join(world.project.folder, name), "utf8");
  const marks = (): number =>
    world.emulator.requests.filter(({ operation, tookEffect }) => operation === "markExported" && tookEffect).length;

  for (const kill of ["host", "machine"] as const) {
    it(`of the ${kill}: the next up exports, runs the command again, and marks once`, async () => {
      const { reached } = gate;
      const run = world.project.start(["up", "--yes", "--skip-preview"]);
      await Promise.race([reached, run.done.then(({ output }) => assert.fail(output))]);
      if (kill === "host") {
        run.killHosts();
        await run.done;
      } else {
        run.killAll();
        await run.done;
        await world.project.run(["cancel", "--yes"]);
      }
      assert.deepEqual([marks(), files()], [0, ["rows-1.ndjson"]]);

      gate.refuse();
      gate.open();
      await world.project.up();
      const { file, marked } = world.project.resource("rows").outputs ?? {};
      assert.deepEqual([read(String(file)), read("loaded"), marked], [content, content, true]);
      assert.deepEqual([marks(), world.emulator.inspect.exportedCount("template-1")], [1, 2]);
      await world.project.preview({ args: ["--expect-no-changes"] });
      assert.equal(marks(), 1);
    });
  }

  it("of an update: the next up replaces the file, although the rows have changed since", async () => {
    const update = (trigger: string): string => `
new DataExport("rows", {
  taskId: "template-1", scope: "all", path: "rows-all.ndjson", triggers: ["${trigger}"], pipe: ["node", "load.js", "${gate.url}"],
});
`;
    gate.open();
    world.program(update("first"));
    await world.project.up();
    gate.close();
    const { reached } = gate;
    world.program(update("second"));
    world.emulator.change.insertRows("template-1", ['{"id":3}']);
    const run = world.project.start(["up", "--yes", "--skip-preview"]);
    await Promise.race([reached, run.done.then(({ output }) => assert.fail(output))]);
    run.killHosts();
    await run.done;
    assert.equal(read("rows-all.ndjson"), `${content}{"id":3}\n`);

    gate.refuse();
    gate.open();
    world.emulator.change.insertRows("template-1", ['{"id":4}']);
    await world.project.up();
    assert.deepEqual([files(), read("rows-all.ndjson")], [["rows-all.ndjson"], `${content}{"id":3}\n{"id":4}\n`]);
    await world.project.preview({ args: ["--expect-no-changes"] });
  });

  it("before the mark: the next up marks nothing twice, and says that the rows may be marked", async () => {
    gate.open();
    const hold = world.emulator.hold({ operation: "markExported", when: "after" });
    const run = world.project.start(["up", "--yes", "--skip-preview"]);
    await Promise.race([hold.reached, run.done.then(({ output }) => assert.fail(output))]);
    run.killHosts();
    await run.done;
    world.emulator.clearFaults();
    const { output } = await world.project.up({ expect: "failure" });
    assert.match(output, /"rows-1\.ndjson" .*They may be marked, so keep this file/);
    assert.deepEqual([marks(), read("rows-1.ndjson"), read("loaded")], [1, content, content]);
  });
});
