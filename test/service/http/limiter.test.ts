import assert from "node:assert/strict";
import sinon from "sinon";
import { ServiceClient } from "../../../src/service";
import { joinLimiter, Limiter } from "../../internals/service";
import { errorOf } from "../errors/errorOf";
import type { FakeServer } from "../fakeServer";
import { json, startFakeServer } from "../fakeServer";

const unbounded = Number.POSITIVE_INFINITY;
const never = new AbortController().signal;

type Result = "done" | "limited";

/** Ends the use of a slot. */
type Release = (result: Result, retryAfter?: number) => void;

/** Waits for a slot. Undefined if there is none. */
function acquire(limiter: Limiter, waits: AbortSignal): Promise<Release | undefined> {
  return new Promise((resolve) => {
    const send = () =>
      new Promise<{ failure?: { kind: "rateLimited"; retryAfter?: number } }>((end) => {
        resolve((result, retryAfter) => end(result === "done" ? {} : { failure: { kind: "rateLimited", retryAfter } }));
      });
    void limiter.run(waits, send).then(() => resolve(undefined));
  });
}

async function acquired(limiter: Limiter): Promise<Release> {
  return (await acquire(limiter, never)) ?? assert.fail("no slot");
}

/** Time for the limiter to note the released slots. */
const settled = () => new Promise(setImmediate);

describe("the limiter", () => {
  let clock: sinon.SinonFakeTimers | undefined;
  afterEach(() => {
    clock?.restore();
    clock = undefined;
  });

  const fakeClock = () => sinon.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });

  /** Sends as fast as the limiter allows, for some seconds, to a service that accepts a number of requests per second. */
  async function drive(
    limiter: Limiter,
    capacity: number,
    seconds: number,
  ): Promise<{ taken: number; refused: number }> {
    clock ??= fakeClock();
    const end = performance.now() + seconds * 1000;
    let windowBegin = 0;
    let inWindow = 0;
    let taken = 0;
    let refused = 0;
    const worker = async () => {
      while (performance.now() < end) {
        const release = await acquired(limiter);
        const now = performance.now();
        if (now - windowBegin >= 1000) {
          windowBegin = now;
          inWindow = 0;
        }
        inWindow += 1;
        const over = inWindow > capacity;
        await new Promise((resolve) => setTimeout(resolve, 20));
        if (over) refused += 1;
        else taken += 1;
        release(over ? "limited" : "done");
      }
    };
    const workers = Promise.all(Array.from({ length: 8 }, worker));
    await clock.tickAsync(seconds * 1000 + 5000);
    await workers;
    return { taken, refused };
  }

  it("sends at most as many requests at the same time as it allows, in order", async () => {
    const limiter = new Limiter({ concurrency: 2, requestsPerSecond: unbounded });
    const granted: number[] = [];
    const releases = [1, 2, 3, 4].map(async (number) => {
      const release = await acquired(limiter);
      granted.push(number);
      return release;
    });
    await new Promise(setImmediate);
    assert.deepEqual(granted, [1, 2]);
    (await releases[0])?.("done");
    await new Promise(setImmediate);
    assert.deepEqual(granted, [1, 2, 3]);
  });

  it("spreads requests over the second if requestsPerSecond is set", async () => {
    const limiter = new Limiter({ concurrency: 100, requestsPerSecond: 10 });
    const { taken, refused } = await drive(limiter, 10, 10);
    assert.equal(refused, 0);
    assert.ok(taken >= 95 && taken <= 108, `${taken}`);
  });

  it("keeps a configured rate in each second, also after a break", async () => {
    const time = fakeClock();
    clock = time;
    const limiter = new Limiter({ concurrency: 100, requestsPerSecond: 20 });
    const arrivals: number[] = [];
    for (let turn = 0; turn < 2; turn += 1) {
      for (let sent = 0; sent < 100; sent += 1) {
        void acquired(limiter).then((release) => {
          arrivals.push(performance.now());
          release("done");
        });
      }
      await time.tickAsync(10_000);
    }
    assert.equal(arrivals.length, 200);
    arrivals.forEach((arrival, index) => {
      const inSecond = arrivals.slice(index).filter((each) => each < arrival + 1000);
      assert.ok(inSecond.length <= 20, `${inSecond.length} within a second of request ${index}`);
    });
  });

  for (const [what, requestsPerSecond] of [
    ["unknown", unbounded],
    ["configured, and too high", 40],
  ] as const) {
    it(`gets most of what the service allows if its limit is ${what}, and few responses of 429`, async () => {
      const limiter = new Limiter({ concurrency: 8, requestsPerSecond });
      const { taken, refused } = await drive(limiter, 20, 120);
      assert.ok(taken >= 0.6 * 20 * 120, `${taken} of 2400`);
      assert.ok(refused <= 0.1 * taken, `${refused} refused`);
    });
  }

  it("halves the requests in flight after a response of 429, to one at least, and adds one each second without another", async () => {
    clock = fakeClock();
    const limiter = new Limiter({ concurrency: 8, requestsPerSecond: unbounded });
    const next = async (result: "done" | "limited"): Promise<number> => {
      const [release] = await Promise.all([acquired(limiter), clock?.tickAsync(1000)]);
      release(result);
      await settled();
      return limiter.concurrency;
    };
    const seen: number[] = [];
    for (const result of ["done", "limited", "limited", "limited", "limited"] as const) seen.push(await next(result));
    assert.deepEqual(seen, [8, 4, 2, 1, 1]);
    await clock.tickAsync(1000);
    assert.deepEqual([await next("done"), await next("done"), await next("done")], [2, 3, 4]);
    (await acquired(limiter))("done");
    await settled();
    assert.equal(limiter.concurrency, 4, "the second has not passed");
    for (let turn = 0; turn < 20; turn += 1) await next("done");
    assert.equal(limiter.concurrency, 8);
  });

  it("makes all requests wait for Retry-After", async () => {
    clock = fakeClock();
    const limiter = new Limiter({ concurrency: 8, requestsPerSecond: unbounded });
    (await acquired(limiter))("limited", 30_000);
    await settled();
    let granted = false;
    const next = acquire(limiter, never).then(() => {
      granted = true;
    });
    await clock.tickAsync(29_990);
    assert.equal(granted, false);
    await clock.tickAsync(20);
    await next;
  });

  it("counts the responses to requests sent before it slowed down only once", async () => {
    const limiter = new Limiter({ concurrency: 8, requestsPerSecond: unbounded });
    const releases = await Promise.all(Array.from({ length: 8 }, () => acquired(limiter)));
    for (const release of releases) release("limited");
    await settled();
    assert.equal(limiter.concurrency, 4);
  });

  it("removes a waiting request that is aborted, and keeps the order of the others", async () => {
    const limiter = new Limiter({ concurrency: 1, requestsPerSecond: unbounded });
    const first = await acquired(limiter);
    const controller = new AbortController();
    const second = acquire(limiter, controller.signal);
    const third = acquired(limiter);
    controller.abort();
    assert.equal(await second, undefined);
    first("done");
    (await third)("done");
  });

  it("gives a request that must not wait only a slot that is free at once", async () => {
    const limiter = new Limiter({ concurrency: 1, requestsPerSecond: unbounded });
    const release = await acquire(limiter, AbortSignal.abort());
    assert.notEqual(release, undefined);
    assert.equal(await acquire(limiter, AbortSignal.abort()), undefined);
  });

  it("never sends a request that was given up while it waited for the rate, although its slot was free at once", async () => {
    const limiter = new Limiter({ concurrency: 2, requestsPerSecond: 0.01 });
    const controller = new AbortController();
    const sent: string[] = [];
    const run = (name: string) =>
      limiter.run(controller.signal, async () => {
        sent.push(name);
        return { failure: undefined };
      });
    const results = [run("first"), run("second")];
    await settled();
    controller.abort();
    assert.equal(await results[1], undefined);
    await settled();
    assert.deepEqual(sent, ["first"]);
  });

  it("is shared by all clients of a service in this process", async () => {
    let open = 0;
    let most = 0;
    const server: FakeServer = await startFakeServer((_seen, response) => {
      open += 1;
      most = Math.max(most, open);
      setImmediate(() => {
        open -= 1;
        json(response, 200, { requestId: "q" });
      });
    });
    const clients = [1, 2, 3].map(
      () => new ServiceClient({ baseUrl: server.baseUrl, accessToken: "access", concurrency: 2 }),
    );
    await Promise.all(clients.flatMap((client) => [1, 2, 3, 4].map(() => client.markExported({ taskId: "t" }))));
    assert.ok(most <= 2, `${most} at once`);
    for (const client of clients) client.close();
    await server.close();
  });

  it("is named in the error if the deadline of a call passes while it waits for a slot", async () => {
    const server = await startFakeServer((_seen, response) => json(response, 429, "", { "retry-after": "600" }));
    const client = new ServiceClient({ baseUrl: server.baseUrl, accessToken: "access", deadlineSeconds: 60 });
    await errorOf(client.removeData({ taskId: "t" }));
    const error = await errorOf(client.removeData({ taskId: "t" }));
    client.close();
    await server.close();
    assert.deepEqual([error.kind, error.outcome, server.seen.length], ["rateLimited", "notExecuted", 1]);
    assert.match(error.message, /the service asked to wait \(Retry-After\) for another 600 s/);
  });

  it("ends a call at once if the pause of the service ends after the call's deadline", async () => {
    const server = await startFakeServer((_seen, response) => json(response, 429, "", { "retry-after": "99999999" }));
    const clients = [1, 2].map(() => new ServiceClient({ baseUrl: server.baseUrl, accessToken: "access" }));
    for (const client of clients) {
      // A wait would last until the default deadline, 15 minutes.
      assert.equal((await errorOf(client.removeData({ taskId: "t" }))).kind, "rateLimited");
    }
    for (const client of clients) client.close();
    await server.close();
    assert.equal(server.seen.length, 1);
  });

  it("is named in the error if the deadline of a call passes while other calls use all slots", async () => {
    const server = await startFakeServer(() => undefined);
    const client = new ServiceClient({ baseUrl: server.baseUrl, accessToken: "access", concurrency: 1, maxRetries: 0 });
    const first = client.getData({ taskId: "t", offset: 0, size: 1 });
    const error = await errorOf(client.removeData({ taskId: "t" }, { deadlineSeconds: 0.2 }));
    client.close();
    await errorOf(first);
    await server.close();
    assert.deepEqual([error.kind, error.outcome, server.seen.length], ["rateLimited", "notExecuted", 1]);
    assert.match(error.message, /while other requests to this service were in progress/);
  });

  it("forgets a service after its last client is closed", async () => {
    const limits = { baseUrl: "http://127.0.0.1:1", concurrency: 1, requestsPerSecond: unbounded };
    const first = joinLimiter(limits);
    const second = joinLimiter(limits);
    assert.equal(first.limiter, second.limiter);
    first.leave();
    const third = joinLimiter(limits);
    assert.equal(third.limiter, first.limiter);
    second.leave();
    third.leave();
    const fresh = joinLimiter(limits);
    assert.notEqual(fresh.limiter, first.limiter);
    fresh.leave();
  });
});
