import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { credentials } from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { repositoryRoot } from "../realEngine/harness";

describe("the bundle of the native plugin", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "webextract-bundle-"));
    mkdirSync(join(folder, "dist"));
    cpSync(join(repositoryRoot, "dist", "plugin"), join(folder, "dist", "plugin"), { recursive: true });
    cpSync(join(repositoryRoot, "package.json"), join(folder, "package.json"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("prints its port, responds without any package beside it, and ends with the engine's SIGINT", async () => {
    const plugin = spawn(process.execPath, [join(folder, "dist", "plugin", "main.js"), "127.0.0.1:1"], { cwd: folder });
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
      client.close();
      assert.equal(version, JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8")).version);
    } finally {
      plugin.kill("SIGINT");
      await ended;
    }
  });
});
