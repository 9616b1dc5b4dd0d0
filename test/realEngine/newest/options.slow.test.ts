import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { table, withParts } from "../../../scripts/docs/parts";
import { ServiceClient } from "../../../src/service";
import { newest, repositoryRoot } from "../harness";
import { pluginFolder, pluginSection } from "../plugin/nativeWorld";
import { World } from "../world";
import { withHookHost } from "./hookEngine";
import type { Type } from "./optionPrograms";
import { keyOf, optionProgram, optionSeed, types } from "./optionPrograms";
import type { Option, Seen } from "./optionSets";
import { optionSets } from "./optionSets";

const page = join(repositoryRoot, "docs/reference/resource-options.md");
const command = "npx mocha test/realEngine/newest/options.slow.test.ts";
/** If set, the test writes the table instead of comparing with it. */
const writes = process.env.WRITE_OPTIONS === "true";

type Outcome = "works" | "ignored" | "warned" | "refused";
type Kind = "dynamic" | "native";

describe("each option of each resource, with the newest engine and SDK", function () {
  this.timeout(1_800_000);
  const outcomes = new Map<string, Map<Kind, Map<Type, Outcome>>>();

  for (const kind of ["dynamic", "native"] as const) {
    it(`has an effect, or is refused or ignored as the table says: ${kind}`, async () => {
      const world = await createWorld(kind);
      try {
        const seen = await applyBoth(world);
        for (const option of optionSets) {
          const ofKinds = outcomes.get(option.option) ?? new Map<Kind, Map<Type, Outcome>>();
          const ofTypes = types.map((type) => [type, outcomeOf(option, seen, type)] as const);
          outcomes.set(option.option, ofKinds.set(kind, new Map(ofTypes)));
        }
      } finally {
        await world.remove();
      }
    });
  }

  it("is in the table of the page", () => {
    const rows = optionSets.map(({ option, about }) => [
      `\`${option.replace(", ", "`, ")}${option.includes(", ") ? "" : "`"}`,
      folded(outcomes.get(option)?.get("dynamic")),
      folded(outcomes.get(option)?.get("native")),
      about,
    ]);
    const part = table(["option", "classes", "plugin", ""], rows);
    const text = readFileSync(page, "utf8");
    const written = withParts(text, { command, required: { options: part } });
    if (writes) {
      writeFileSync(page, written);
    } else {
      assert.equal(text, written, `WRITE_OPTIONS=true ${command} writes the page anew`);
    }
  });
});

async function createWorld(kind: Kind): Promise<World> {
  const { engine, sdk, path } = await newest();
  const world = await World.create({
    engine: withHookHost(engine),
    sdk,
    path: [...path, pluginFolder()],
    program: optionProgram(optionSets),
    files: {
      "Pulumi.yaml": `name: test\nruntime:\n  name: nodejs\n  options:\n    typescript: false\n${pluginSection()}`,
    },
    seed: optionSeed,
    config: { "webextract:native": String(kind === "native"), "test:phase": "1" },
  });
  return world;
}

/** Applies the first and the second program, and destroys. */
async function applyBoth(world: World): Promise<Seen> {
  const { project, emulator } = world;
  const { accessToken, apiKey } = emulator.credentials;
  const env = { SHOP_TOKEN: accessToken, SHOP_KEY: apiKey };
  const parts = await subtasksOfARun(world);
  await project.configure({ "test:parts": JSON.stringify(parts) });
  const created = await project.up({ env });
  const first = project.state();
  await project.configure({ "test:phase": "2" });
  const plan = await project.previewJson({ env });
  const { output } = await project.run(["up", "--yes"], { args: ["--diff"], env });
  const second = project.state();
  await project.run(["state", "unprotect", "--all", "--yes"]);
  await project.destroy({
    args: ["--run-program"],
    env: { ...env, WEBEXTRACT_FORCE_DESTROY: "true" },
    expect: "either",
  });
  const linesOf = (file: string): string[] => {
    const path = join(project.folder, file);
    return existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
  };
  return {
    first,
    second,
    plan,
    differing: differingIn(output),
    noted: new Set([...linesOf("hooks.txt"), ...linesOf("notes.txt")]),
    refused: new Set(linesOf("refused.txt").map((line) => String(line.split(" ")[0]))),
    warnings: created.output.split("\n").filter((line) => line.includes("warning: ")),
  };
}

/** Starts a run of a task that is not in the program. */
async function subtasksOfARun({ emulator }: World): Promise<string[]> {
  const client = new ServiceClient({ baseUrl: emulator.url, ...emulator.credentials });
  await client.startTask({ taskId: "parts" });
  return emulator.inspect.runs("parts").flatMap((run) => run.subtasks.map(({ subTaskId }) => subTaskId));
}

/** The names of the resources whose values differ in the output of a preview with --diff. */
function differingIn(output: string): Set<string> {
  const names = new Set<string>();
  let name = "";
  for (const line of output.split("\n")) {
    name = /^ +\[urn=.*::(.*)\]$/.exec(line)?.[1] ?? name;
    if (/ => |^ +[-+~] \w+ *:/.test(line)) {
      names.add(name);
    }
  }
  return names;
}

function outcomeOf({ option, works }: Option, seen: Seen, type: Type): Outcome {
  const name = `${keyOf(option)}-${type}`;
  if (seen.refused.has(name)) {
    return "refused";
  }
  if (works(seen, name, type)) {
    return "works";
  }
  return seen.warnings.some((line) => line.includes(`"${name}"`) && line.includes(option)) ? "warned" : "ignored";
}

/** The word for most types, and the types with another one. */
function folded(of: ReadonlyMap<Type, Outcome> | undefined): string {
  const all = [...(of ?? new Map<Type, Outcome>())];
  const words = [...new Set(all.map(([, outcome]) => outcome))];
  const typesWith = (word: Outcome): Type[] => all.filter(([, each]) => each === word).map(([type]) => type);
  const [most, ...others] = words.sort((one, other) => typesWith(other).length - typesWith(one).length);
  return [String(most), ...others.map((word) => `${typesWith(word).join(", ")}: ${word}`)].join("; ");
}
