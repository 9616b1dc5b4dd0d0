import assert from "node:assert/strict";
import { slowIt } from "../../environment";
import { KilledFleet } from "./killedFleet";

describe("a fleet without checkpoints", function () {
  this.timeout(120_000);

  slowIt(
    "whose engine is killed loses nothing: the next up takes over all of it, with warnings that are summed up",
    async () => {
      const tasks = 12;
      const fleet = await KilledFleet.create(tasks);
      try {
        await fleet.kill({ kind: "engine", skip: 5 * tasks, when: "after" });
        assert.deepEqual(
          fleet.world.project.state().resources.filter(({ type }) => type.startsWith("pulumi-nodejs:")),
          [],
        );
        const { output, ups } = await fleet.finish();
        // On a busy machine, the kill can come between the file of an export and the end of its mark.
        assert.equal(ups, /They may be marked, so keep this file/.test(output) ? 2 : 1, output);
        assert.match(output, /^ *warning: ".*was taken over.*\(\d+ warnings like this one; the others are about "/m);
        await fleet.assertWhole();
      } finally {
        await fleet.world.remove();
      }
    },
  );
});
