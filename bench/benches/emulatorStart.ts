import type { Bench } from "../figure";
import { EmulatorProcess } from "../stage/emulatorProcess";
import { inWorkFolder } from "../stage/workFolder";

/** How soon the emulator can be used. */
export const emulatorStart: Bench = {
  name: "emulator",
  summary: "webextract emulator, from its start to its first answer",
  run: () =>
    inWorkFolder(async (folder) => {
      const begin = performance.now();
      const emulator = await EmulatorProcess.start(folder);
      try {
        // Any answer will do: a refused request has been read, checked and answered.
        await (await fetch(`${emulator.url}/data/all`)).text();
        const value = (performance.now() - begin) / 1000;
        return [{ name: "start to first answer", value, unit: "s", goal: { kind: "under", value: 0.5 } }];
      } finally {
        await emulator.stop();
      }
    }),
};
