import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Behaviour } from "webextract-emulator";
import { behaviourNames, behaviours, otherValues } from "webextract-emulator";
import { isServiceError } from "../../../src/service";
import { isLarge, slowIt } from "../../environment";
import type { Combination } from "./pairs";
import { pairwise } from "./pairs";
import { settingFor } from "./settings";
import type { Verdict } from "./table";
import { isOn, pageOf, singleVerdicts } from "./table";
import type { Setting } from "./world";
import { liveUnder } from "./world";

/** Values that end every life: the batch number never arrives, or the response to an operation that must run once is lost. */
const ending = new Map<string, (string | number)[]>([
  ["startResponse", ["null", "true"]],
  ["badGatewayEvery", [6]],
]);

/** Values that remove the code from a refusal. The client cannot know the reason, so a life may end with the refusal. */
const wordless = ["html", "empty"];

function parameters(): Map<string, (string | number)[]> {
  return new Map(
    behaviourNames.map((name) => {
      const others = otherValues(name).filter((value) => !ending.get(name)?.includes(value));
      return [name, [behaviours[name].default, ...others]];
    }),
  );
}

const notDefault = (row: Combination) =>
  [...row].filter(([name, value]) => value !== behaviours[name as keyof Behaviour].default);
const settingsOf = (row: Combination): Setting[] =>
  [...row].flatMap(([name, value]) => {
    const setting = settingFor[`${name}=${value}`];
    return setting === undefined ? [] : [setting];
  });

describe("the life of a task through the client", function () {
  this.timeout(300_000);

  it("succeeds if the service follows the contract literally", async () => {
    assert.equal(await liveUnder({}), undefined);
  });

  describe("under each single behaviour", () => {
    // npm test tries every fourth.
    const tried = behaviourNames.filter((_, index) => isLarge || index % 4 === 0);
    let verdicts: Verdict[] = [];
    before(async () => {
      verdicts = await singleVerdicts(tried);
    });

    it("succeeds, needs a setting, or is refused as the documentation says", () => {
      const page = readFileSync(join(__dirname, "../../../docs/reference/behaviours.md"), "utf8");
      const mend = "run: npx tsx test/service/matrix/writeTable.ts";
      assert.deepEqual(
        verdicts.filter((each) => !isOn(page, each)),
        [],
        mend,
      );
      if (isLarge) assert.equal(page, pageOf(verdicts), mend);
    });

    slowIt("is refused only if no setting can help", () => {
      const refused = verdicts.filter(({ text }) => text.startsWith("refused")).map(({ behaviour }) => behaviour);
      assert.deepEqual(refused, ["errorBody=html", "errorBody=empty", "badGatewayEvery=6", "taskGone=serverError"]);
    });
  });

  describe("under pairs of behaviours", () => {
    const rows = pairwise(parameters());
    // npm test tries a sixth of them, because each single behaviour has a life of its own.
    for (const [index, row] of [...rows.entries()].filter(([at]) => isLarge || at % 6 === 0)) {
      it(`succeeds, or ends with an error that says what exists: combination ${index + 1} of ${rows.length}`, async () => {
        const failure = await liveUnder(Object.fromEntries(row), settingsOf(row));
        if (failure === undefined) return;
        const words = notDefault(row)
          .map((pair) => pair.join("="))
          .join(" ");
        assert.ok(isServiceError(failure), `${failure.stack} under ${words}`);
        const excused =
          wordless.includes(String(row.get("errorBody"))) ||
          row.get("taskGone") === "serverError" ||
          failure.kind === "busy";
        assert.ok(excused, `${failure.message} under ${words}`);
      });
    }

    for (const [name, values] of ending) {
      for (const value of values) {
        for (const [index, row] of rows.slice(0, isLarge ? 8 : 1).entries()) {
          it(`keeps its promises with ${name}=${value} beside combination ${index + 1}`, async () => {
            const behaviour = { ...Object.fromEntries(row), [name]: value };
            const failure = await liveUnder(behaviour, settingsOf(row));
            if (name === "startResponse") assert.ok(isServiceError(failure), String(failure));
          });
        }
      }
    }
  });
});

describe("the pairwise generator", () => {
  it("combines each value with each value of every other parameter", () => {
    const all = parameters();
    const rows = pairwise(all);
    for (const [one, values] of all) {
      for (const [other, others] of all) {
        if (one === other) continue;
        for (const a of values) {
          for (const b of others) {
            assert.ok(
              rows.some((row) => row.get(one) === a && row.get(other) === b),
              `${one}=${a} with ${other}=${b}`,
            );
          }
        }
      }
    }
  });
});
