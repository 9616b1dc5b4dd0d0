import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import sinon from "sinon";
import { warnOfPlainCredentials } from "../internals/program";

describe("the warning of plain credentials", () => {
  const sandbox = sinon.createSandbox();
  afterEach(() => {
    sandbox.restore();
    pulumi.runtime.setAllConfig({}, []);
  });

  /** The warnings for a configuration whose keys are without the namespace. */
  const warningsOf = (config: Record<string, string>, encrypted: string[] = []): string[] => {
    const warn = sandbox.stub(pulumi.log, "warn").resolves();
    const named = Object.fromEntries(Object.entries(config).map(([key, value]) => [`webextract:${key}`, value]));
    pulumi.runtime.setAllConfig(
      named,
      encrypted.map((key) => `webextract:${key}`),
    );
    warnOfPlainCredentials(named);
    const warnings = warn.getCalls().map(({ args: [message] }) => message);
    sandbox.restore();
    return warnings;
  };
  const profiles = JSON.stringify({ eu: { accessToken: "secret-1", baseUrl: "https://eu.test" }, us: {} });

  it("names each key and its command, and never a value", () => {
    const stack = pulumi.runtime.getStack();
    assert.deepEqual(warningsOf({ apiKey: "secret-0", baseUrl: "https://x.test", profiles }), [
      `Credentials are in plain text in the configuration of stack "${stack}": webextract:apiKey, webextract:profiles. ` +
        "Everybody who can read the stack's configuration file, its history in git, or the state can use them. Encrypt them; each command asks for the value:\n" +
        "  pulumi config set --secret webextract:apiKey\n" +
        "  pulumi config set --secret webextract:profiles\n" +
        "The history still has the old values afterwards, so replace these credentials at the service.",
    ]);
  });

  it("is not given for encrypted, empty and other values, nor for a configuration that is refused", () => {
    const all = { accessToken: "a", apiKey: "b", refreshToken: "c", profiles };
    assert.deepEqual(warningsOf(all, Object.keys(all)), []);
    assert.deepEqual(warningsOf({ apiKey: "", credentialCommand: "broker", tokenStore: "x" }), []);
    assert.deepEqual(warningsOf({ profiles: "no json" }), []);
    assert.deepEqual(warningsOf({ profiles: '{"eu":{"baseUrl":"https://x.test"}}' }), []);
  });

  it("is not given if the SDK does not show what is encrypted", () => {
    sandbox.stub(pulumi.runtime as unknown as { isConfigSecret: unknown }, "isConfigSecret").value(undefined);
    const warn = sandbox.stub(pulumi.log, "warn").resolves();
    warnOfPlainCredentials({ "webextract:apiKey": "secret-0" });
    assert.equal(warn.callCount, 0);
  });
});
