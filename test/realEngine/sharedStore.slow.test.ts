import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ObjectStore } from "../../scripts/objectStore/objectStore";
import { machineVariables } from "../resources/export/s3/storeKinds";
import { pluginFolder } from "./plugin/nativeWorld";
import { World } from "./world";

const program = (names: readonly string[]): string =>
  names
    .map(
      (name) => `new TaskCopy("${name}", { sourceTaskId: "template-1", taskGroupId: "group-1", onDelete: "retain" });`,
    )
    .join("\n");

for (const front of ["classes", "plugin"] as const) {
  describe(`a stack whose tokens and journal are in an object store, with the ${front}`, () => {
    let store: ObjectStore;
    let world: World;
    let machines = 0;
    before(async function () {
      this.timeout(900_000);
      store = await ObjectStore.start();
      store.addBucket("team-bucket");
      world = await World.create({
        program: program(["one"]),
        emulator: { behaviour: { refreshRotation: "oldDies" } },
        withCredentials: false,
        config: {
          "webextract:tokenStore": "s3://team-bucket/prod",
          ...(front === "plugin" && { "webextract:native": "true" }),
        },
        ...(front === "plugin" && { path: [pluginFolder()] }),
      });
      const { refreshToken, apiKey } = world.emulator.credentials;
      await world.project.configure({}, { "webextract:refreshToken": refreshToken, "webextract:apiKey": apiKey });
    });
    after(async () => {
      await world.remove();
      await store.stop();
    });

    /** A runner that has nothing but the stack and access to the store. */
    const runner = () => machineVariables(store, join(world.project.root, `home-${++machines}`));
    const objects = (): string[] =>
      readdirSync(join(store.buckets, "team-bucket"), { recursive: true, withFileTypes: true })
        .filter((each) => each.isFile() && !each.parentPath.includes(".sgwtmp"))
        .map(({ parentPath, name }) => join(parentPath, name));

    it("goes on from runner to runner, also after one was killed in a copy, and keeps secrets and names to itself", async () => {
      await world.project.preview({ env: runner() });
      assert.deepEqual([world.operations(), objects()], [[], []]);
      await world.project.up({ env: runner() });
      world.emulator.change.expireAccessTokens();
      world.program(program(["one", "two"]));
      const hold = world.emulator.hold({ operation: "copyTask", when: "after" });
      const run = world.project.start(["up", "--yes", "--skip-preview"], { env: runner() });
      await Promise.race([hold.reached, run.done.then(({ output }) => assert.fail(output))]);
      run.killHosts();
      await run.done;
      world.emulator.clearFaults();
      const { output } = await world.project.up({ env: runner(), expect: "failure" });
      assert.match(output, /A copy of task "template-1" in group "group-1" may exist/);
      assert.equal(world.copies().length, 2);
      const [, second = ""] = world.copies();
      const adopted = program(["one", "two"]).replace('"two", {', `"two", { adoptTaskId: "${second}",`);
      world.program(adopted);
      await world.project.up({ env: runner() });
      assert.equal(world.copies().length, 2);
      const written = objects().map((path) => path + readFileSync(path, "latin1"));
      const { refreshToken, accessToken, apiKey } = world.emulator.credentials;
      const words = [
        refreshToken,
        accessToken,
        apiKey,
        "refresh-of-the-world",
        "access-of",
        ...world.copies(),
        "template-1",
      ];
      for (const word of words) {
        assert.ok(!written.join("\n").includes(word), word);
      }
      assert.deepEqual(
        objects().filter((path) => path.includes("/journal/")),
        [],
      );
    });
  });
}
