import { behaviourNames, otherValues } from "webextract-emulator";
import { limited, probeAndWork } from "./workWithSettings";

describe("the settings of probe --write --start", function () {
  this.timeout(120_000);

  for (const name of behaviourNames) {
    for (const value of otherValues(name)) {
      const words = `${name}=${value}`;
      it(`make a task, a run and an export with marks work under ${words}, or the report says that nothing helps`, async () => {
        await probeAndWork({ [name]: value }, limited.includes(words));
      });
    }
  }
});
