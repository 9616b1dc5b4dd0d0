import assert from "node:assert/strict";
import type { Behaviour, BehaviourName } from "webextract-emulator";
import { behaviourNames, behaviours, defaultBehaviour, otherValues } from "webextract-emulator";
import fc from "../../fastCheck";
import { mostRequests, notAsked, questions } from "../../internals/probe";
import type { Probed } from "./probing";
import { assertReadsOnly, probed, shopTask } from "./probing";

type Named = Probed["named"];

/** What the findings name for a service that keeps every default. */
const usual: Named = {
  errorBody: ["envelope"],
  taskGone: ["invalidTaskId"],
  expiredToken: ["status401"],
  errorStatus: ["usual"],
  credentialAcceptance: ["bearerOnUpload", "contract"],
  refreshPath: ["token"],
  getActionsMissing: ["refusedNamed"],
  getActionsEmptyTypes: ["none"],
  actionShape: ["list"],
  propertyValues: ["asWritten"],
  loopTypeRead: ["asWritten"],
  offsetAnswer: ["asked"],
  endOfData: ["restTotal"],
  splitting: ["always", "listsOnly"],
  statusWords: ["noFailed", "usual", "withSent"],
  statusCase: ["capital", "mixed"],
};

/** Behaviours for which the findings name more than the one value, or something else too. All others change only their own finding. */
const named: Record<string, Partial<Record<BehaviourName, string[] | undefined>>> = {
  "errorBody=html": { errorBody: ["html"], taskGone: undefined, getActionsMissing: ["refusedUnnamed"] },
  "errorBody=empty": { errorBody: ["empty"], taskGone: undefined, getActionsMissing: ["refusedUnnamed"] },
  "taskGone=unnamed": { taskGone: ["unnamed"], getActionsMissing: ["refusedUnnamed"] },
  "taskGone=serverError": { taskGone: ["serverError"], getActionsMissing: ["refusedUnnamed"] },
  "credentialAcceptance=apiKeyEverywhere": { credentialAcceptance: ["apiKeyEverywhere", "either"] },
  "credentialAcceptance=bearerOnUpload": {},
  "credentialAcceptance=either": { credentialAcceptance: ["apiKeyEverywhere", "either"] },
  "refuseEvery=5": { retryAfter: ["none"], refuseEvery: [""], requestsPerSecond: [""] },
  "badGatewayEvery=6": { badGatewayEvery: [""], badGatewayStatus: [""] },
  "idleSockets=resetOnReuse": { idleSockets: ["closedAfterAnswer", "resetOnReuse"] },
  "statusWords=withSent": {},
  "statusWords=noFailed": {},
  "statusCase=mixed": {},
  "splitting=listsOnly": {},
  "splitting=never": { splitting: ["listsOnly", "never"], statusWords: undefined, statusCase: undefined },
  "subtaskPageMax=20": { subtaskPageMax: ["20"], pageTooLarge: ["refused"] },
  "rowsArriveLate=3": { rowsArriveLate: [""] },
  "endOfData=emptyPage": { endOfData: ["emptyPage", "offsetStays"] },
  "endOfData=offsetStays": { endOfData: ["emptyPage", "offsetStays"] },
};

/** Visible only together with others, or in other conditions: see the tests below. */
const hidden: readonly BehaviourName[] = [
  "accessTokenRequests",
  "answerBytes",
  "badGatewayStatus",
  "dataPageMax",
  "pageTooLarge",
  "requestsPerSecond",
  "retryAfter",
];

const unasked = notAsked.flatMap((each) => each.behaviours);
const asked = questions.flatMap((question) => question.behaviours);

describe("probe", () => {
  it("knows each behaviour as one that it asks about or as one that it does not ask about", () => {
    assert.deepEqual([...new Set([...asked, ...unasked])].sort(), [...behaviourNames].sort());
    const partly = asked.filter((name) => unasked.includes(name));
    assert.deepEqual(partly, ["credentialAcceptance"]);
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
    for (const value of otherValues(name)) {
      // Whether the client notices a connection that ends after its response is a matter of time.
      const isRace = value === "closedAfterAnswer";
      it(`names ${name}=${value} if reads show it, and nothing else wrong`, async () => {
        const result = await probed({ taskId: shopTask, behaviour: { [name]: value } });
        const isShown = asked.includes(name) && !hidden.includes(name) && !isRace;
        const own = named[`${name}=${value}`] ?? (isShown ? { [name]: [String(value)] } : {});
        const expected = Object.entries({ ...usual, ...own }).filter(([, values]) => values !== undefined);
        const found = Object.entries(result.named).filter(([key]) => !(isRace && key === "idleSockets"));
        if (name !== "accessTokenRequests") {
          assert.deepEqual(Object.fromEntries(found), Object.fromEntries(expected));
        }
        assertReadsOnly(result);
      });
    }
  }

  it("claims nothing that is false about any combination of behaviours, within the limit of requests", async () => {
    const values = Object.fromEntries(
      behaviourNames.map((name) => [name, fc.constantFrom(behaviours[name].default, ...otherValues(name))]),
    );
    const combination = fc.record(values, { requiredKeys: [] }) as fc.Arbitrary<Partial<Behaviour>>;
    const property = fc.asyncProperty(combination, async (behaviour) => {
      const result = await probed({ taskId: shopTask, behaviour }).catch((error: Error) => {
        // No report is no false claim: an access token that has expired may look like anything.
        assert.equal(error.name === "CliError" && behaviour.accessTokenRequests, 7, error.message);
        return undefined;
      });
      if (result === undefined) {
        return;
      }
      assert.ok(result.sent <= mostRequests);
      assertReadsOnly(result);
      const actual = { ...defaultBehaviour(), ...behaviour };
      for (const [name, found] of Object.entries(result.named)) {
        const is = String(actual[name as BehaviourName]);
        // A task that is refused without its id is so in a list too.
        const isCovered = name === "getActionsMissing" && found.includes("refusedUnnamed");
        assert.ok(found.includes(is) || found.includes("") || isCovered, `${name} is ${is}, found ${found}`);
      }
    });
    await fc.assert(property, { numRuns: 25 });
  });
});
