import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { table, withParts } from "../../../../scripts/docs/parts";
import { ensureEngine } from "../../../../scripts/engine/ensureEngine";
import { newest, repositoryRoot } from "../../harness";
import { OptionWorld, types } from "./optionWorld";
import type { Trial, Verdicts } from "./trials";
import { ends, trials } from "./trials";

/** The version of the pinned engine and SDK, and of the newest ones that were tried last. A newer one fails here: look at what it changes. */
const versions = ["3.248", "3.276"] as const;
const kinds = ["dynamic", "native"] as const;
type World = `${(typeof kinds)[number]} ${(typeof versions)[number]}`;

const page = join(repositoryRoot, "docs/reference/resource-options.md");
const seen = new Map<string, Map<World, Verdicts>>();

for (const version of versions) {
  for (const kind of kinds) {
    describe(`the options of ${kind} resources on engine and SDK ${version}`, function () {
      this.timeout(300_000);
      let world: OptionWorld;
      before(async () => {
        const made = version === "3.248" ? { engine: await ensureEngine() } : await newest();
        assert.ok(made.engine.version.startsWith(version), `${made.engine.version} is not ${version}`);
        world = await OptionWorld.create(made, kind === "native");
        const { result } = await world.run({});
        assert.equal(result.code, 0, result.output);
      });
      after(() => world.world.remove());

      for (const trial of [...trials, ...ends]) {
        it(`${trial.option} does what the page says`, async () => {
          const verdicts = await trial.run(world, version);
          assert.deepEqual(
            Object.entries(verdicts).filter(([, verdict]) => verdict.startsWith("FAILED")),
            [],
          );
          const all = seen.get(trial.option) ?? new Map<World, Verdicts>();
          seen.set(trial.option, all.set(`${kind} ${version}`, verdicts));
        });
      }
    });
  }
}

describe("the page of resource options", () => {
  it("says what was tried", () => {
    const rows = [...trials, ...ends].map((trial) => [trial.option, result(trial), trial.note]);
    const parts = { options: table(["option", "result", "what to know"], rows) };
    const text = readFileSync(page, "utf8");
    const written = withParts(text, { command: "the tests of options", required: parts });
    assert.doesNotMatch(written, /undefined|FAILED/);
    if (process.env.WRITE_OPTIONS === "true") {
      writeFileSync(page, written);
    }
    assert.equal(written, readFileSync(page, "utf8"), "WRITE_OPTIONS=true writes the page anew");
  });
});

/** One word where all agree. */
function result(trial: Trial): string {
  const [dynamic, native] = kinds.map((kind) => cell(trial, kind));
  return dynamic === native ? `${dynamic}` : `classes: ${dynamic}; plugin: ${native}`;
}

function cell({ option }: Trial, kind: (typeof kinds)[number]): string {
  const byVersion = versions.map((version) => {
    const verdicts = seen.get(option)?.get(`${kind} ${version}`);
    assert.ok(verdicts, `${option} was not tried: run the whole file`);
    const words = [...new Set(Object.values(verdicts))];
    const parts = words.map((word) => [word, types.filter((type) => verdicts[type] === word)] as const);
    const most = Math.max(...parts.map(([, of]) => of.length));
    const sorted = parts.sort(([, one], [, other]) => other.length - one.length);
    return sorted.map(([word, of]) => (of.length === most ? word : `${word}: ${of.join(", ")}`)).join("; ");
  });
  const [old, now] = byVersion;
  return old === now ? `${old}` : `${versions[0]}: ${old}; ${versions[1]}: ${now}`;
}
