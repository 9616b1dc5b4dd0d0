import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServiceClientOptions } from "pulumi-webextract/service";
import { environmentVariables, ServiceClient } from "pulumi-webextract/service";
import sinon from "sinon";
import type { Emulator } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import {
  copyAndConfigure,
  exportBatch,
  makeClient,
  printCredential,
  runAndWait,
  startOrSay,
  uploadUrls,
} from "../../examples/client";
import { optionProblems } from "../internals/service";
import type { FakeServer } from "../service/fakeServer";
import { startFakeServer } from "../service/fakeServer";

describe("the page about the client", () => {
  let emulator: Emulator;
  let site: FakeServer;
  let client: ServiceClient;
  let folder: string;
  before(async () => {
    emulator = await startEmulator();
    site = await startFakeServer((seen, response) => {
      response.setHeader("content-type", "text/html");
      response.end(`<html><title>${seen.url}</title><h1>One</h1></html>`);
    });
    folder = mkdtempSync(join(tmpdir(), "webextract-example-"));
    client = new ServiceClient({ baseUrl: emulator.url, ...emulator.credentials, tokenStore: join(folder, "store") });
  });
  after(async () => {
    sinon.restore();
    client.close();
    await emulator.close();
    await site.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("shows code that works: from a copy to rows in a file", async () => {
    makeClient(emulator.url).close();
    const taskId = await copyAndConfigure(client, "demo-template", "demo-group");
    const urls = join(folder, "urls.txt");
    writeFileSync(urls, [1, 2, 3, 4, 5].map((page) => `${site.baseUrl}/${page}`).join("\n"));
    await uploadUrls(client, taskId, urls);
    const lotNo = await runAndWait(client, taskId, 0.01);
    const rows = join(folder, "rows.ndjson");
    assert.equal(await exportBatch(client, taskId, lotNo, rows), true);
    const lines = readFileSync(rows, "utf8").trimEnd().split("\n");
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      emulator.inspect.rows(taskId),
    );
    assert.equal(lines.length, 5);
  });

  it("shows how to detect a lost response", async () => {
    const taskId = await copyAndConfigure(client, "demo-template", "demo-group");
    assert.match(await startOrSay(client, taskId), /^\d+$/);
    emulator.setBehaviour({ startResponse: "null", startWhileRunning: "newRun" });
    assert.match(await startOrSay(client, taskId), /look before starting again: A run of task .* may have started/);
    emulator.setBehaviour({ startResponse: "data" });
  });

  it("shows a broker that prints the format of credentialCommand", async () => {
    const log = sinon.stub(console, "log");
    await printCredential(client);
    log.restore();
    const printed: unknown = JSON.parse(String(log.firstCall.args[0]));
    assert.deepEqual(printed, { Version: 1, AccessToken: emulator.credentials.accessToken });
  });

  it("names every option, with its default and its variable", () => {
    const options: Required<{ [Name in keyof ServiceClientOptions]: true }> = {
      baseUrl: true,
      accessToken: true,
      refreshToken: true,
      apiKey: true,
      credentialCommand: true,
      tokenStore: true,
      s3ForcePathStyle: true,
      packagesFolder: true,
      profile: true,
      movedFrom: true,
      timeoutSeconds: true,
      maxRetries: true,
      requestsPerSecond: true,
      concurrency: true,
      pageSize: true,
      busyTimeoutSeconds: true,
      deadlineSeconds: true,
      allowInsecureHttp: true,
      notExecutedCodes: true,
      startsWithoutLotNo: true,
      credentials: true,
      refreshPath: true,
      logFormat: true,
      logLevel: true,
      log: true,
      warn: true,
      waiting: true,
      settingName: true,
      maxResponseBytes: true,
      interrupted: true,
    };
    const [page = "", keys = ""] = ["client.md", "configuration.md"].map((name) =>
      readFileSync(join(__dirname, "../../docs/reference", name), "utf8"),
    );
    // The page refers to the keys up to `logLevel`.
    const shared = [...keys.slice(0, keys.indexOf("- `profiles`")).matchAll(/^- `(\w+)`/gm)].map(([, key]) => key);
    assert.equal(shared.at(-1), "logLevel");
    for (const name of Object.keys(options)) assert.ok(page.includes(`\`${name}\``) || shared.includes(name), name);
    for (const name of shared) assert.ok(name !== undefined && Object.hasOwn(options, name), name);
    for (const [variable, option] of Object.entries(environmentVariables)) {
      assert.ok(page.includes(variable) || keys.includes(`- \`${option}\` (\`${variable}\`; `), variable);
    }
    assert.deepEqual(optionProblems({ baseUrl: "https://service.example" }), []);
  });
});
