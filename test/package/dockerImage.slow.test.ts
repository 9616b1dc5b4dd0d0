import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { packTarball, repositoryRoot } from "../realEngine/harness";

const docker = (...args: string[]): string => execFileSync("docker", args, { encoding: "utf8", stdio: "pipe" }).trim();
const hasDocker = spawnSync("docker", ["info"], { stdio: "ignore" }).status === 0;

if (hasDocker) {
  describe("the image of the emulator", () => {
    const image = `webextract-emulator-test-${process.pid}`;
    let context: string;
    before(async function () {
      this.timeout(600_000);
      context = mkdtempSync(join(tmpdir(), "webextract-docker-"));
      const tarball = await packTarball("emulator");
      copyFileSync(tarball, join(context, basename(tarball)));
      docker("build", "-t", image, "-f", join(repositoryRoot, "emulator/Dockerfile"), context);
    });
    after(() => {
      rmSync(context, { recursive: true, force: true });
      spawnSync("docker", ["image", "rm", "--force", image]);
    });

    it("is healthy, runs as a user that is not root, and serves the admin API to the holder of the token", async () => {
      const id = docker("run", "--detach", "-P", "-e", "WEBEXTRACT_EMULATOR_ADMIN_TOKEN=only-for-tests", image);
      try {
        const health = (): string => docker("inspect", "--format", "{{.State.Health.Status}}", id);
        for (let seconds = 0; health() === "starting" && seconds < 60; seconds += 1) await wait(1000);
        assert.equal(health(), "healthy", docker("logs", id));
        assert.notEqual(docker("exec", id, "id", "-u"), "0");
        const port = docker("port", id, "8787/tcp").split("\n")[0]?.split(":").at(-1);
        const read = (headers: Record<string, string>): Promise<Response> =>
          fetch(`http://127.0.0.1:${port}/__emulator/tasks`, { headers });
        assert.equal((await read({})).status, 401);
        assert.equal((await read({ authorization: "Bearer only-for-tests" })).status, 200);
      } finally {
        docker("rm", "--force", id);
      }
    }).timeout(120_000);
  });
}
