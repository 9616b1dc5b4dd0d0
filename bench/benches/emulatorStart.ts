import type { Bench } from "../figure";
import { EmulatorProcess } from "../stage/emulatorProcess";
import { inWorkFolder } from "../stage/workFolder";

/** The time until the emulator responds to a request. */
export const emulatorStart: Bench = {
  name: "emulator",
  summary: "webextract-emulator, from its start to its first response",
  run: () =>
    inWorkFolder(async (folder) => {
      const begin = performance.now();
      const emulator = await EmulatorProcess.start(folder);
      try {
        // Any response counts, because a refused request was read and checked too.
        await (await fetch(`${emulator.url}/data/all`)).text();
        const value = (performance.now() - begin) / 1000;
        return [{ name: "start to first response", value, unit: "s", goal: { kind: "under", value: 0.3 } }];
      } finally {
        await emulator.stop();
      }
    }),
};
