import { LiveWorld, together } from "./liveLife";

describe("a service as operators report it", function () {
  this.timeout(240_000);
  let live: LiveWorld;
  before(async () => {
    live = await LiveWorld.create("dynamic");
  });
  after(() => live.world.remove());

  it("gets its loops, has each row exported once, and has its rows removed", async () => {
    await live.live(together);
    await live.destroy({ successBody: "wordsWithoutData" });
  });
});
