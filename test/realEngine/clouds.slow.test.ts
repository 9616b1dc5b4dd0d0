import assert from "node:assert/strict";
import { azuriteKey } from "../../scripts/objectStore/cloudServers";
import { FaultyProxy } from "../resources/export/s3/faultyProxy";
import type { TestStore } from "../resources/export/s3/storeKinds";
import { cloudKinds } from "../resources/export/s3/storeKinds";
import { pluginFolder } from "./plugin/nativeWorld";
import { World } from "./world";

const lives = cloudKinds.flatMap((kind) => (["classes", "plugin"] as const).map((front) => ({ ...kind, front })));
for (const { title, scheme, start, front } of lives) {
  const path = `${scheme}://team-bucket/nightly/books-{lotNo}.ndjson`;
  const program = (more = ""): string => `
const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1", onDelete: "retain" });
const run = new CloudRun("run", { taskId: copy.id, waitFor: "finished", pollSeconds: 0 });
new DataExport("rows", {
  taskId: copy.id, scope: "batch", lotNo: run.id, path: "${path}", verifyFile: true, onDelete: "removeFile", ${more}
});
`;

  describe(`a stack with rows, tokens and journal in ${title}, with the ${front}`, () => {
    let store: TestStore;
    let proxy: FaultyProxy;
    let world: World;
    before(async function () {
      this.timeout(900_000);
      store = await start();
      await store.empty("team-bucket");
      proxy = await FaultyProxy.start(store.port);
      proxy.guard = store.guard?.bind(store);
      const env = Object.entries(store.environment(proxy.endpoint, "")).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value] as const],
      );
      world = await World.create({
        program: program(),
        emulator: { behaviour: { refreshRotation: "oldDies" } },
        withCredentials: false,
        config: {
          "webextract:tokenStore": `${scheme}://team-bucket/prod`,
          ...(front === "plugin" && { "webextract:native": "true" }),
        },
        ...(front === "plugin" && { path: [pluginFolder()] }),
        env: Object.fromEntries(env),
      });
      const { refreshToken, apiKey } = world.emulator.credentials;
      await world.project.configure({}, { "webextract:refreshToken": refreshToken, "webextract:apiKey": apiKey });
    });
    after(async () => {
      await world.remove();
      await proxy.stop();
      await store.stop();
    });
    const keys = async (part: string): Promise<string[]> =>
      [...(await store.objects("team-bucket")).keys()].filter((key) => key.includes(part));

    it("lives from the preview to the destroy, renews its token, and keeps secrets to itself", async () => {
      const { output } = await world.project.preview();
      assert.match(output, /4 to create/);
      assert.deepEqual(await keys(""), []);
      await world.project.up();
      const { lotNo, file } = world.project.resource("rows").outputs ?? {};
      assert.equal(file, path.replace("{lotNo}", String(lotNo)));
      assert.deepEqual(await keys("nightly/"), [`nightly/books-${lotNo}.ndjson`]);
      assert.deepEqual([(await keys("/tokens/")).length, await keys("/journal/")], [1, []]);
      world.emulator.change.expireAccessTokens();
      await world.project.refresh({ args: ["--expect-no-changes"] });
      await world.project.destroy();
      assert.deepEqual(await keys("nightly/"), []);
      const { refreshToken, accessToken } = world.emulator.credentials;
      assert.deepEqual(world.project.findWritten([refreshToken, accessToken, azuriteKey]), []);
      const written = [...(await store.objects("team-bucket"))].map(([key, body]) => key + body.toString("latin1"));
      for (const word of [refreshToken, accessToken, "template-1"]) assert.ok(!written.join("\n").includes(word), word);
    });
  });
}
