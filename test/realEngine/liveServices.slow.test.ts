import assert from "node:assert/strict";
import { LiveWorld, reported, together } from "./liveLife";

for (const engine of ["dynamic", "native"] as const) {
  describe(`a service as operators report it, on the ${engine} engine`, function () {
    this.timeout(900_000);
    let live: LiveWorld;
    before(async () => {
      live = await LiveWorld.create(engine);
    });
    after(() => live.world.remove());

    for (const behaviour of reported) {
      it(`is handled with ${JSON.stringify(behaviour)}`, () => live.live(behaviour));
    }

    it("is handled with all of it at once", () => live.live(together));

    for (const startResponse of ["null", "true"] as const) {
      it(`may have started a run if a start responds with ${startResponse}, and starts no second one`, async () => {
        assert.match(await live.fails({ startResponse }), /may have started/);
        const starts = () => live.world.emulator.requests.filter(({ operation }) => operation === "startTask").length;
        assert.equal(starts(), 1);
        await live.world.project.up({ expect: "failure" });
        assert.equal(starts(), 1);
      });
    }

    it("names the plan, whatever operation needs one", async () => {
      live.world.emulator.setPlan("free");
      const output = await live.fails({ plansNeeded: "everyOperation" });
      assert.match(output, /403 PermissionDenied.*Nearly every operation can need a paid plan/s);
      live.world.emulator.setPlan("professional");
    });

    it("has no rows after a destroy that it confirms with words only", () =>
      live.destroy({ successBody: "wordsWithoutData", rowOrder: "newestFirst" }));
  });
}
