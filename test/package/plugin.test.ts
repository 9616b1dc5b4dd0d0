import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import nodeModule from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { ServiceError } from "@grpc/grpc-js";
import { credentials } from "@grpc/grpc-js";
import type { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import type { CheckResponse, GetSchemaResponse } from "@pulumi/pulumi/proto/provider_pb";
import { CheckRequest, ConfigureRequest, GetSchemaRequest, InvokeRequest } from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { startEmulator } from "webextract-emulator";
import { repositoryRoot } from "../realEngine/harness";
import { task } from "../resources/life";

describe("the bundle of the native plugin", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "webextract-bundle-"));
    cpSync(join(repositoryRoot, "dist", "plugin"), folder, { recursive: true });
    cpSync(join(repositoryRoot, "plugin/schema.json"), join(folder, "schema.json"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** Starts the plugin as the engine does, and ends it with a SIGINT. */
  async function withPlugin(work: (client: ResourceProviderClient) => Promise<void>): Promise<void> {
    const env = { ...process.env, PATH: [dirname(process.execPath), process.env.PATH].join(delimiter) };
    const plugin = spawn(join(folder, "pulumi-resource-webextract"), ["127.0.0.1:1"], { cwd: folder, env });
    const ended = once(plugin, "exit");
    try {
      const [port] = (await once(plugin.stdout, "data")) as [Buffer];
      assert.match(String(port), /^\d+\n$/);
      const client = new ResourceProviderClient(`127.0.0.1:${String(port).trim()}`, credentials.createInsecure());
      await work(client);
      client.close();
    } finally {
      plugin.kill("SIGINT");
      await ended;
    }
  }

  it("prints its port, responds without any package beside it, and ends with the engine's SIGINT", () =>
    withPlugin(async (client) => {
      const info = await answer<PluginInfo>((done) => client.getPluginInfo(new Empty(), done));
      const schema = await answer<GetSchemaResponse>((done) => client.getSchema(new GetSchemaRequest(), done));
      const { version } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8"));
      const written = JSON.parse(readFileSync(join(repositoryRoot, "plugin/schema.json"), "utf8"));
      assert.deepEqual(JSON.parse(schema.getSchema()), { ...written, version });
      assert.equal(info.getVersion(), version);
    }));

  it("sends requests and reads schemas of rows without any package beside it", async () => {
    const emulator = await startEmulator({ seed: { taskGroups: [{ taskGroupId: "group-1" }], tasks: [task] } });
    writeFileSync(join(folder, "row.schema.json"), '{ "type": "objekt" }');
    try {
      await withPlugin(async (client) => {
        const config = { baseUrl: emulator.url, accessToken: emulator.credentials.accessToken };
        const configure = new ConfigureRequest().setArgs(Struct.fromJavaScript(config));
        await answer((done) => client.configure(configure, done));
        const getSubtasks = new InvokeRequest()
          .setTok("webextract:index:getSubtasks")
          .setArgs(Struct.fromJavaScript({ taskId: task.taskId }));
        await answer((done) => client.invoke(getSubtasks, done));
        assert.equal(emulator.requests.length, 1);
        const args = { taskId: "task-1", scope: "all", path: "rows.ndjson", checks: { schema: "row.schema.json" } };
        const check = new CheckRequest()
          .setUrn("urn:pulumi:dev::test::webextract:index:DataExport::rows")
          .setNews(Struct.fromJavaScript(args));
        const checked = await answer<CheckResponse>((done) => client.check(check, done));
        assert.deepEqual(
          checked.getFailuresList().map((failure) => failure.getReason()),
          [
            'checks.schema names "row.schema.json", which is not valid at "#/type": must be equal to one of the allowed values',
          ],
        );
      });
    } finally {
      await emulator.close();
    }
  });

  it("has Node.js keep the compiled code beside it, from the version on that can", async () => {
    // Of a newer Node.js that has run this build.
    rmSync(join(folder, "compiled"), { recursive: true, force: true });
    await withPlugin(async () => undefined);
    assert.equal(existsSync(join(folder, "compiled")), "enableCompileCache" in nodeModule);
    rmSync(join(folder, "compiled"), { recursive: true, force: true });
    writeFileSync(join(folder, "compiled"), "no folder can be made here");
    await withPlugin(async (client) => {
      await answer<PluginInfo>((done) => client.getPluginInfo(new Empty(), done));
    });
    rmSync(join(folder, "compiled"));
  });

  it("ends after its engine was killed, also if that has not configured it", async () => {
    // Nothing listens at the address, and the standard input ends, as with a killed engine.
    const plugin = spawn(join(folder, "pulumi-resource-webextract"), ["127.0.0.1:1"], { cwd: folder });
    const ended = once(plugin, "exit");
    await once(plugin.stdout, "data");
    plugin.stdin.end();
    await ended;
  });

  it("says in one line that Node.js is missing, and which version it needs", () => {
    const { status, stdout, stderr } = spawnSync("/bin/sh", [join(folder, "pulumi-resource-webextract")], {
      env: { PATH: join(folder, "nothing") },
      encoding: "utf8",
    });
    assert.deepEqual([status, stdout], [1, ""]);
    assert.match(stderr, /^pulumi-resource-webextract needs Node\.js 20\.19 .* there is no node on PATH\.\n$/);
  });

  it("has a launcher for Windows that does the same, line by line", () => {
    // Nothing here runs it.
    const [echo, where, check, message, exit, end, start, last, ...others] = readFileSync(
      join(folder, "pulumi-resource-webextract.cmd"),
      "utf8",
    ).split(/\r?\n/);
    assert.equal(echo, "@echo off", "standard output contains the port only");
    assert.match(where ?? "", /^where node >nul 2>nul$/);
    assert.match(check ?? "", /^if errorlevel 1 \($/);
    assert.match(message ?? "", /^ {2}echo [^()&|<>%]*no node on PATH\. 1>&2$/);
    assert.deepEqual([exit, end], ["  exit /b 1", ")"]);
    assert.equal(start, 'node "%~dp0main.js" %*', "the file beside the launcher, also with blanks in its path");
    assert.deepEqual([last, others], ["", []]);
  });

  it("has launchers that name the Node.js versions of the package", () => {
    const { engines } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8"));
    assert.equal(engines.node, "^20.19.0 || >=22.12.0");
    for (const name of ["pulumi-resource-webextract", "pulumi-resource-webextract.cmd"]) {
      assert.match(
        readFileSync(join(folder, name), "utf8"),
        /Node\.js 20\.19 or a later version 20, or Node\.js 22\.12 or later/,
      );
    }
  });
});

function answer<Response>(call: (done: (error: ServiceError | null, response: Response) => void) => void) {
  return new Promise<Response>((resolve, reject) =>
    call((error, response) => (error === null ? resolve(response) : reject(error))),
  );
}
