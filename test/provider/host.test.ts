import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sinon from "sinon";
import { AccountClaims, DynamicProvider, endWithEngine, Host } from "../internals/provider";
import type { AnyResource } from "../internals/resources";
import { resources } from "../internals/resources";
import { noEngine } from "../program/inProcess";
import { endsAtTurn } from "../turns";

/** A host with these profiles, each a set of credentials. */
function hostWith(profiles: Record<string, object>, config: Record<string, string> = {}): Host {
  const all: Record<string, string> = {
    baseUrl: "https://service.test",
    tokenStore: "store",
    journal: "off",
    profiles: JSON.stringify(profiles),
    ...config,
  };
  return new Host(
    (key) => all[key],
    noEngine(() => undefined),
  );
}

describe("profiles in the provider", () => {
  const clientOf = (host: Host, profile: string) => host.context(profile, undefined).client;

  it("with the same credentials share one client, which gathers their reads, and one guard", async () => {
    const host = hostWith({ one: { refreshToken: "r" }, two: { refreshToken: "r" }, three: { refreshToken: "other" } });
    try {
      assert.equal(clientOf(host, "one"), clientOf(host, "two"));
      assert.equal(host.context("one", undefined).tasks.actions, host.context("two", undefined).tasks.actions);
      assert.equal(host.tasksOf("one").guard, host.tasksOf("two").guard);
      assert.notEqual(clientOf(host, "one"), clientOf(host, "three"));
      assert.notEqual(host.tasksOf("one").guard, host.tasksOf("three").guard);
    } finally {
      await host.close();
    }
  });

  it("with the same token and another API key are one account with two clients", async () => {
    const host = hostWith({ one: { accessToken: "a", apiKey: "k" }, two: { accessToken: "a" } });
    try {
      assert.equal(host.account("one"), host.account("two"));
      assert.notEqual(clientOf(host, "one"), clientOf(host, "two"));
    } finally {
      await host.close();
    }
  });

  it("share what is known of loops only if they name the same service, also below one origin", async () => {
    const [us, eu] = ["https://gateway.test/us", "https://gateway.test/eu"];
    const host = hostWith({ one: { baseUrl: us }, two: { baseUrl: us, apiKey: "k" }, three: { baseUrl: eu } });
    try {
      const wayOf = (profile: string) => host.context(profile, undefined).tasks.loopWay;
      assert.equal(wayOf("one"), wayOf("two"));
      assert.notEqual(wayOf("one"), wayOf("three"));
    } finally {
      await host.close();
    }
  });

  it("know one service in each spelling of its address", async () => {
    const host = hostWith({
      one: { baseUrl: "https://gateway.test/eu", accessToken: "a" },
      two: { baseUrl: "https://GATEWAY.test.:443/x/../%65u/", accessToken: "a" },
    });
    try {
      assert.equal(host.origin("two"), "https://gateway.test/eu");
      assert.equal(host.account("one"), host.account("two"));
      assert.equal(clientOf(host, "one"), clientOf(host, "two"));
      assert.equal(host.context("one", undefined).tasks.loopWay, host.context("two", undefined).tasks.loopWay);
    } finally {
      await host.close();
    }
  });

  it("are other accounts if only the token store has their tokens", async () => {
    const host = hostWith({ one: {}, two: {} });
    try {
      assert.notEqual(host.account("one"), host.account("two"));
      assert.notEqual(clientOf(host, "one"), clientOf(host, "two"));
    } finally {
      await host.close();
    }
  });

  for (const [what, token, config] of [
    ["the service takes only API keys", { accessToken: "a" }, { credentials: "apiKey" }],
    ["they have no tokens", {}, {}],
  ] as const) {
    it(`with other API keys are other accounts where ${what}`, () => {
      const host = hostWith({ one: { ...token, apiKey: "k1" }, two: { ...token, apiKey: "k2" } }, config);
      assert.notEqual(host.account("one"), host.account("two"));
    });
  }
});

describe("a wait of the provider", () => {
  it("can be longer than the longest timer", async () => {
    const interruption = new AbortController();
    const config: Record<string, string> = { baseUrl: "https://service.test", tokenStore: "store", journal: "off" };
    const host = new Host(
      (key) => config[key],
      noEngine(() => undefined, interruption.signal),
    );
    const warnings: string[] = [];
    const note = ({ name }: Error): void => void warnings.push(name);
    process.on("warning", note);
    try {
      const wait = host.context(undefined, undefined).sleep(3e9);
      // Node.js warns of a timer that is too long, and ends it at once.
      await new Promise(setImmediate);
      interruption.abort();
      await wait;
      assert.deepEqual(warnings, []);
    } finally {
      process.off("warning", note);
      await host.close();
    }
  });
});

describe("a lost copy that another provider of the command adopts", () => {
  it("is deleted without the warning that a copy may exist, as after migrate", async () => {
    const folder = mkdtempSync(join(tmpdir(), "webextract-claims-"));
    const warnings: string[] = [];
    const providerOf = (name: string, pid: number): DynamicProvider => {
      const processes = { own: { host: "here", pid }, isRunning: () => true };
      const claims = new AccountClaims(`urn:pulumi:dev::p::t::${name}`, "127.0.0.1:1", processes, folder);
      const config: Record<string, string> = { baseUrl: "https://service.test", accessToken: "a", journal: "off" };
      const engine = noEngine((message) => void warnings.push(message));
      const host = new Host((key) => config[key], engine, { claims });
      return new DynamicProvider(resources.TaskCopy as AnyResource, () => host, Boolean);
    };
    try {
      const [before, now] = [providerOf("default_0_1_0", 1), providerOf("default", 2)];
      const args = { sourceTaskId: "t", taskGroupId: "g" };
      const state = { ...args, outcome: "unknown", explanation: "lost" };
      await now.diff("unknown-1", state, { ...args, adoptTaskId: "copy" });
      await before.delete("unknown-1", state);
      assert.deepEqual(warnings, []);
      await before.delete("unknown-2", state);
      assert.equal(warnings.length, 1);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("the end of the provider's process", () => {
  for (const how of ["saved", "gone"] as const) {
    it(`comes when what is in progress is noted, if the engine is ${how === "saved" ? "done" : how}`, async () => {
      const host = hostWith({});
      const seen: string[] = [];
      const note = (what: string, turn: number) => async () => void seen.push(await endsAtTurn(turn, what));
      const box = sinon.createSandbox();
      try {
        box.stub(host, "noteSaved").callsFake(note("saved", 5));
        box.stub(host, "close").callsFake(note("closed", 2));
        const ended = new Promise<void>((resolve) => {
          box.stub(process, "exit").callsFake(() => resolve(void seen.push("exit")) as never);
        });
        endWithEngine(() => host, { ...host.engine, onEnd: (ending) => ending[how]() });
        await ended;
      } finally {
        box.restore();
        await host.close();
      }
      assert.deepEqual(seen, how === "saved" ? ["saved", "closed", "exit"] : ["closed", "exit"]);
    });
  }
});
