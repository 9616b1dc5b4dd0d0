import assert from "node:assert/strict";
import sinon from "sinon";
import { hostileStrings } from "../hostile";
import type { EngineModules } from "../internals/engine";
import { EngineLog, engineInterruption, engineLog } from "../internals/engine";
import { ProviderError } from "../internals/provider";
import { assertShown } from "../shownText";

describe("progress", () => {
  it("passes on nothing that a terminal or a CI system obeys, nor does an error of the provider", async () => {
    for (const { what, text } of hostileStrings) {
      const shown: string[] = [];
      const display = new EngineLog((message) => shown.push(message));
      display.warn(text);
      display.progress(text, "urn");
      await display.error(text);
      await display.end();
      assert.ok(shown.length >= 3);
      const error = new ProviderError(text);
      for (const each of [...shown, error.message, `${error}`, error.stack ?? ""]) {
        assertShown(each, what);
      }
    }
  });

  it("is shown once for each resource until it changes, and never without a resource", () => {
    const shown: string[] = [];
    const display = new EngineLog((message, urn) => shown.push(`${urn}: ${message}`));
    for (const urn of ["a", "b", undefined]) {
      for (const message of ["one", "one", "two", "two", "one"]) {
        display.progress(message, urn);
      }
    }
    assert.deepEqual(shown, ["a: one", "a: two", "a: one", "b: one", "b: two", "b: one"]);
  });
});

describe("warnings, if the private parts of the SDK that send them have changed", () => {
  const changes: Readonly<Record<string, unknown>> = {
    "the client of the engine's log is missing": undefined,
    "the client throws when it is made": class {
      constructor() {
        throw new TypeError();
      }
    },
    "the client of the log throws": class {
      log() {
        throw new TypeError();
      }
    },
    "the engine refuses to log": class {
      log(_request: unknown, done: (error: Error) => void) {
        done(new Error());
      }
    },
  };
  /** The modules as they are, but for the client. */
  const modulesWith = (EngineClient: unknown) => (): EngineModules => ({
    grpc: require("@grpc/grpc-js"),
    protocol: require("@pulumi/pulumi/proto/engine_pb"),
    clients: { EngineClient } as EngineModules["clients"],
  });

  for (const [about, client] of Object.entries(changes)) {
    it(`go to standard error, which the engine shows under the stack: ${about}`, async () => {
      const argv = sinon.stub(process, "argv").value(["node", "/nowhere/host.js", "127.0.0.1:1"]);
      const written = sinon.stub(console, "error");
      try {
        const log = engineLog(modulesWith(client));
        log.progress("half of it is done", "urn");
        log.warn("it stays", "urn");
        await log.error("it failed");
        await log.end();
        assert.deepEqual(written.args, [["warning: it stays"], ["error: it failed"]]);
      } finally {
        written.restore();
        argv.restore();
      }
    });
  }
});

describe("an interruption", () => {
  it("is never reported and causes no error in a process that is not a known provider host", () => {
    const argv = sinon.stub(process, "argv").value(["node", "/nowhere/host.js"]);
    try {
      assert.equal(engineInterruption().aborted, false);
    } finally {
      argv.restore();
    }
  });
});
