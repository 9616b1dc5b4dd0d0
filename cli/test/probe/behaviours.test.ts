import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Behaviour, BehaviourName } from "webextract-emulator";
import { behaviourNames, behaviours, defaultBehaviour, otherValues } from "webextract-emulator";
import { isLarge } from "../../../test/environment";
import fc, { runs } from "../../../test/fastCheck";
import { notAsked, questions } from "../internals/probe";
import { assertReadsOnly, probed, shopTask, usual } from "./probing";

/** Behaviours for which the findings name more than the one value, or something else too. All others change only their own finding. */
const named: Record<string, Partial<Record<BehaviourName, string[] | undefined>>> = {
  "errorBody=legacy": {},
  "errorBody=html": { errorBody: ["empty", "html"] },
  "errorBody=empty": { errorBody: ["empty", "html"] },
  "taskGone=unnamed": {},
  "taskGone=notFound": {},
  "credentialAcceptance=apiKeyEverywhere": { credentialAcceptance: ["apiKeyEverywhere", "either"] },
  "credentialAcceptance=bearerOnUpload": {},
  "credentialAcceptance=either": { credentialAcceptance: ["apiKeyEverywhere", "either"] },
  // A refresh is not sent twice, so a page of a proxy ends the question.
  "badGatewayEvery=6": { refreshPath: undefined },
  "statusWords=withSent": {},
  "statusWords=noFailed": {},
  "statusWords=sentNoFailed": {},
  "statusWords=synonyms": {},
  "splitting=listsOnly": {},
  "splitting=never": { splitting: ["listsOnly", "never"] },
  "dataPageMax=1000": {},
  "successBody=nullData": {},
  "successBody=words": { successBody: ["words", "wordsWithoutData"] },
  "successBody=wordsWithoutData": { successBody: ["words", "wordsWithoutData"] },
  // Only rows that arrive meanwhile show their order.
  "rowOrder=newestFirst": {},
  "rowsWhileReading=1": { rowOrder: ["oldestFirst"] },
};

const asked = questions.filter(({ sends }) => sends === "reads").flatMap(({ behaviours: names = [] }) => names);
const unasked = notAsked.flatMap(({ behaviours: names = [] }) => names);

describe("probe", () => {
  it("asks about each behaviour that needs a setting, or says that it cannot", () => {
    const page = readFileSync(join(__dirname, "../../../docs/reference/behaviours.md"), "utf8");
    const needing = [...page.matchAll(/^\| `(\w+)=\S+` \| needs /gm)].map(([, name = ""]) => name);
    assert.ok(needing.length > 3);
    assert.deepEqual(
      needing.filter((name) => !asked.includes(name) && !unasked.includes(name)),
      [],
    );
  });

  it("names every default, with reads only", async () => {
    const result = await probed({ taskId: shopTask });
    assert.deepEqual(result.named, usual);
    assert.deepEqual(
      result.findings.filter(({ is }) => is !== "good"),
      [],
    );
    assertReadsOnly(result);
  });

  for (const name of behaviourNames) {
    // One value of each; all of them in the slow tests.
    for (const value of otherValues(name).slice(0, isLarge ? undefined : 1)) {
      it(`names ${name}=${value} if reads show it, and nothing else wrong`, async () => {
        const result = await probed({ taskId: shopTask, behaviour: { [name]: value } });
        const own = named[`${name}=${value}`] ?? (asked.includes(name) ? { [name]: [String(value)] } : {});
        const expected = Object.entries({ ...usual, ...own }).filter(([, values]) => values !== undefined);
        if (name !== "accessTokenRequests") {
          assert.deepEqual(result.named, Object.fromEntries(expected));
        }
        assertReadsOnly(result);
      });
    }
  }

  it("finds that new rows come first if one arrives between its reads", async () => {
    const behaviour = { rowOrder: "newestFirst", rowsWhileReading: 1 } as const;
    const { named: found } = await probed({ taskId: shopTask, behaviour });
    assert.deepEqual(found.rowOrder, ["newestFirst"]);
  });

  it("finds or names each behaviour that only tests and operators know of", () => {
    const names =
      "loopsInActions successBody rowOrder rowsWhileReading emptyPageEvery batchRows otherMarks startResponse plansNeeded";
    for (const name of names.split(" ")) {
      assert.ok(asked.includes(name) || unasked.includes(name), name);
    }
  });

  it("claims nothing that is false about any combination of behaviours", async () => {
    // An access token that expires may be refused like anything else.
    const lasting = behaviourNames.filter((name) => name !== "accessTokenRequests");
    const values = Object.fromEntries(
      lasting.map((name) => [name, fc.constantFrom(behaviours[name].default, ...otherValues(name))]),
    );
    const combination = fc.record(values, { requiredKeys: [] }) as fc.Arbitrary<Partial<Behaviour>>;
    const property = fc.asyncProperty(combination, async (behaviour) => {
      const result = await probed({ taskId: shopTask, behaviour });
      assertReadsOnly(result);
      const actual = { ...defaultBehaviour(), ...behaviour };
      for (const [name, found] of Object.entries(result.named)) {
        const is = String(actual[name as BehaviourName]);
        assert.ok(found.includes(is) || found.includes(""), `${name} is ${is}, found ${found}`);
      }
    });
    await fc.assert(property, runs(25));
  });
});
