import type { Bench } from "../figure";
import { EmulatorProcess } from "../stage/emulatorProcess";
import { inWorkFolder } from "../stage/workFolder";

/** The time until the emulator answers a request. */
export const emulatorStart: Bench = {
  name: "emulator",
  summary: "webextract-emulator, from its start to its first answer",
  run: () =>
    inWorkFolder(async (folder) => {
      const begin = performance.now();
      const emulator = await EmulatorProcess.start(folder);
      try {
        // Any response counts: a refused request was read, checked and answered.
        await (await fetch(`${emulator.url}/data/all`)).text();
        const value = (performance.now() - begin) / 1000;
        return [{ name: "start to first answer", value, unit: "s", goal: { kind: "under", value: 0.5 } }];
      } finally {
        await emulator.stop();
      }
    }),
};
