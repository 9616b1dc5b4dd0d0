import { KilledFleet, randomKills } from "./killedFleet";

describe("a fleet of 200 tasks without checkpoints", function () {
  this.timeout(1_800_000);

  const kills = randomKills(200, 4);
  const inWords = kills.map(({ kind, skip, when }) => `${kind} ${when} request ${skip}`).join(", ");

  it(`that is killed again and again (${inWords}) loses nothing and makes nothing twice`, async () => {
    const fleet = await KilledFleet.create(200);
    try {
      for (const kill of kills) {
        await fleet.kill(kill);
      }
      await fleet.finish();
      await fleet.assertWhole();
    } finally {
      await fleet.world.remove();
    }
  });
});
