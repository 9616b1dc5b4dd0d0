import { documentedBehaviour } from "webextract-emulator";
import { isLarge } from "../environment";
import { LiveWorld, together } from "./liveLife";

for (const engine of isLarge ? (["dynamic", "native"] as const) : (["dynamic"] as const)) {
  describe(`a service as operators and documentation report it, on the ${engine} engine`, function () {
    this.timeout(240_000);
    let live: LiveWorld;
    before(async () => {
      live = await LiveWorld.create(engine);
    });
    after(() => live.world.remove());

    it("gets its loops, has each row exported once, also of a run without a lotNo, and has its rows removed", async () => {
      await live.live(together);
      await live.live(documentedBehaviour);
      await live.live({ ...documentedBehaviour, startResponse: "null" });
      await live.destroy(documentedBehaviour);
    });
  });
}
