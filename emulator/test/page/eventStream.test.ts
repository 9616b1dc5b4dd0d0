import assert from "node:assert/strict";
import { Writable } from "node:stream";
import type { SinonFakeTimers } from "sinon";
import { useFakeTimers } from "sinon";
import type { Change } from "../internals";
import { ChangeFeed, EventStream } from "../internals";

/** What a reader has received. It takes the next part only when it is told to. */
class SlowReader extends Writable {
  readonly received: string[] = [];
  private taken: (() => void) | undefined;

  constructor(private readonly isSlow = false) {
    super({ highWaterMark: 1, decodeStrings: false });
  }

  override _write(text: string, _encoding: string, done: () => void): void {
    this.received.push(text);
    if (this.isSlow) this.taken = done;
    else done();
  }

  takeNext(): void {
    this.taken?.();
  }

  events(): string[] {
    return this.received
      .join("")
      .split("\n\n")
      .filter((block) => block.startsWith("event: "));
  }
}

describe("the stream of events", () => {
  let clock: SinonFakeTimers;
  beforeEach(() => {
    clock = useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  });
  afterEach(() => clock.restore());

  function open(reader: SlowReader): ChangeFeed {
    const feed = new ChangeFeed();
    new EventStream(feed, reader);
    return feed;
  }

  it("makes one event of many changes of the same run", async () => {
    const reader = new SlowReader();
    const feed = open(reader);
    for (let index = 0; index < 10_000; index += 1) feed.tell({ type: "run", lotNo: "1", taskId: "a" });
    feed.tell({ type: "behaviour" });
    await clock.tickAsync(1_000);
    assert.deepEqual(reader.events(), ['event: run\ndata: {"lotNo":"1","taskId":"a"}', "event: behaviour\ndata: {}"]);
  });

  it("sends a change that comes later as a new event", async () => {
    const reader = new SlowReader();
    const feed = open(reader);
    for (let round = 0; round < 3; round += 1) {
      feed.tell({ type: "task", taskId: "a" });
      await clock.tickAsync(1_000);
    }
    assert.equal(reader.events().length, 3);
  });

  it("names no ids when very many different things change at once", async () => {
    const reader = new SlowReader();
    const feed = open(reader);
    for (let index = 0; index < 5_000; index += 1) feed.tell({ type: "task", taskId: `task ${index}` });
    feed.tell({ type: "run", lotNo: "1" });
    await clock.tickAsync(1_000);
    assert.deepEqual(reader.events(), ["event: task\ndata: {}", 'event: run\ndata: {"lotNo":"1"}']);
  });

  it("keeps no more for a slow reader than one batch and the set of what changed", async () => {
    const reader = new SlowReader(true);
    const feed = open(reader);
    for (let round = 0; round < 500; round += 1) {
      for (let index = 0; index < 200; index += 1) feed.tell({ type: "task", taskId: `task ${round} ${index}` });
      await clock.tickAsync(1_000);
    }
    assert.ok(reader.writableLength < 1_000, `${reader.writableLength} characters wait`);
    reader.takeNext();
    await clock.tickAsync(1_000);
    assert.deepEqual(reader.events(), ["event: task\ndata: {}"]);
  });

  it("sends comments to a silent connection, and stops with it", async () => {
    const reader = new SlowReader();
    const feed = open(reader);
    await clock.tickAsync(60_000);
    assert.ok(reader.received.filter((text) => text.startsWith(": ")).length >= 4);
    reader.destroy();
    await clock.tickAsync(1);
    const before = reader.received.length;
    const late: Change = { type: "request" };
    feed.tell(late);
    await clock.tickAsync(60_000);
    assert.equal(reader.received.length, before);
    assert.equal(clock.countTimers(), 0);
  });
});
