import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { credentials } from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { GetSchemaRequest } from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { repositoryRoot } from "../realEngine/harness";

describe("the bundle of the native plugin", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "webextract-bundle-"));
    cpSync(join(repositoryRoot, "dist", "plugin"), folder, { recursive: true });
    cpSync(join(repositoryRoot, "schema.json"), join(folder, "schema.json"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("prints its port, responds without any package beside it, and ends with the engine's SIGINT", async () => {
    const plugin = spawn(join(folder, "pulumi-resource-webextract"), ["127.0.0.1:1"], { cwd: folder });
    const ended = once(plugin, "exit");
    try {
      const [port] = (await once(plugin.stdout, "data")) as [Buffer];
      assert.match(String(port), /^\d+\n$/);
      const client = new ResourceProviderClient(`127.0.0.1:${String(port).trim()}`, credentials.createInsecure());
      const version = await new Promise((resolve, reject) =>
        client.getPluginInfo(new Empty(), (error, info) =>
          error === null ? resolve(info.getVersion()) : reject(error),
        ),
      );
      const schema = await new Promise<string>((resolve, reject) =>
        client.getSchema(new GetSchemaRequest(), (error, found) =>
          error === null ? resolve(found.getSchema()) : reject(error),
        ),
      );
      client.close();
      assert.equal(schema, readFileSync(join(repositoryRoot, "schema.json"), "utf8"));
      assert.equal(version, JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8")).version);
    } finally {
      plugin.kill("SIGINT");
      await ended;
    }
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
