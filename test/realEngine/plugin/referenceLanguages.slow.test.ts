import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Seed } from "webextract-emulator";
import { repositoryRoot } from "../harness";
import { withoutTypes, withShortPauses } from "../leanProgram";
import { World } from "../world";
import { pluginSection } from "./nativeWorld";
import { programFiles, sdkWorld } from "./sdkWorld";

const read = (file: string): string => readFileSync(join(repositoryRoot, "examples/reference", file), "utf8");

const seed: Seed = {
  taskGroups: [{ taskGroupId: "bookshops" }],
  tasks: [
    {
      taskId: "shop-template",
      taskGroupId: "bookshops",
      syntheticRows: 5,
      syntheticSubtasks: 3,
      actions: [
        { actionType: "NavigateAction", actionId: "open", properties: { Url: "https://old.test/" } },
        { actionType: "EnterTextAction", actionId: "search", properties: { TextToSet: "old" } },
        { actionType: "LoopAction", actionId: "shelves", loopType: "UrlList", loopItems: ["https://old.test/1"] },
      ],
    },
  ],
};

const options = {
  seed,
  files: { "shelves.txt": read("shelves.txt"), "tasks/novels.yaml": read("tasks/novels.yaml") },
  config: { "webextract:actionTypes": "EnterTextAction,LoopAction,NavigateAction" },
};

interface Front {
  /** The file of the program, here and in examples/reference. */
  file: string;
  source: string;
  create(program: string): Promise<World>;
  /** What the project has instead of the source: JavaScript for TypeScript. */
  written?(program: string): string;
}

const sdk = (language: keyof typeof programFiles): Front => ({
  file: programFiles[language],
  source: `languages/${programFiles[language]}`,
  create: (program) => sdkWorld(language, program, options),
});

const typescript: Front = {
  file: "index.js",
  source: "index.ts",
  async create(program) {
    const world = await World.create({ ...options, program: "" });
    world.project.write("index.js", program);
    return world;
  },
  written: (program) => withoutTypes(program.replace(/^export .*$/gm, "")),
};

const others: Readonly<Record<string, Front>> = {
  YAML: {
    file: "Pulumi.yaml",
    source: "languages/Pulumi.yaml",
    create: (program) =>
      World.create({ ...options, name: "reference", program: "", files: { ...options.files, "Pulumi.yaml": program } }),
    written: (program) => `${program}\n${pluginSection()}`,
  },
  Python: sdk("python"),
  Go: sdk("go"),
};

function withoutRegion(program: string, region: string): string {
  const without = program.replace(new RegExp(`^.*#region ${region}\\n[^]*?#endregion\\n`, "m"), "");
  assert.notEqual(without, program);
  return without;
}

/** The requests that write, of each step of a life of the program. Throws if a step differs from what it should do. */
async function live({
  file,
  source,
  create,
  written = (program) => program,
}: Front): Promise<Record<string, string[]>> {
  const withReads = withShortPauses(read(source));
  const whole = withoutRegion(withReads, "functions");
  // The subtasks exist only after a run of the task.
  const world = await create(written(withoutRegion(whole, "cloudSubtasks")));
  const { project, emulator } = world;
  const names = new Map<string, string>();
  const requests: Record<string, string[]> = {};
  const done = (step: string): void => {
    requests[step] = requestsOf(world, names);
  };
  try {
    assert.match((await project.preview()).output, /\+ 12 to create/);
    assert.deepEqual(emulator.requests, []);
    await project.up();
    done("create");

    const taskId = project.resource("books").id ?? "";
    const run = emulator.inspect.run(emulator.change.startRun(taskId));
    const [first = "", second = ""] = run?.subtasks.map(({ subTaskId }) => subTaskId) ?? [];
    emulator.change.setSubtaskStatus(run?.lotNo ?? "", "failed", [first, second]);
    names.set(first, "subtask").set(second, "subtask");
    const complete = (program: string): string =>
      program.replace("3f0c-subtask-4", first).replace("3f0c-subtask-9", second);
    const changed = (program: string): string =>
      complete(program).replaceAll("novels", "poems").replaceAll("shop.example.com", "b.example.com");
    project.write(file, written(complete(whole)));
    assert.match((await project.up()).output, /\+ 1 created\n.*12 unchanged/);
    done("subtasks");

    assert.match((await project.up()).output, /13 unchanged/);
    assert.deepEqual(emulator.requests, []);
    await project.refresh({ args: ["--expect-no-changes"] });
    done("unchanged");

    project.write(file, written(changed(whole)));
    await project.up();
    done("change");

    emulator.change.setProperty(project.resource("prices").id ?? "", "search", "TextToSet", "drift");
    assert.match((await project.refresh({ args: ["--diff"] })).output, /"drift"/);
    await project.up();
    done("drift");

    project.write(file, written(changed(withReads)));
    await project.up();
    requests.functions = [...new Set(emulator.requests.map(({ operation }) => operation))].sort();
    emulator.clearRequests();

    await project.destroy({ env: { WEBEXTRACT_FORCE_DESTROY: "true" } });
    assert.deepEqual(project.state().resources, []);
    done("destroy");
    return requests;
  } finally {
    await world.remove();
  }
}

/**
 * The requests since the last call, with the names of tasks in place of their ids, sorted, because the resources do not wait for each other. Without reads: what
 * else runs at the time decides how many are needed.
 */
function requestsOf({ emulator, project }: World, names: Map<string, string>): string[] {
  for (const { id = "", type, urn } of project.state().resources) {
    if (/TaskCopy|ExtractionTask/.test(type)) names.set(id, urn.split("::").at(-1) ?? "");
  }
  const writes = emulator.requests.filter(({ operation }) => !operation.startsWith("get"));
  emulator.clearRequests();
  return writes
    .map(({ operation, query, body }) => `${operation} ${JSON.stringify({ ...query, ...(body as object) })}`)
    .map((text) => text.replace(/(?<=")[\w-]+(?=")/g, (id) => names.get(id) ?? id))
    .sort();
}

describe("the program of the reference pages in each language, from its creation to its destruction", function () {
  this.timeout(900_000);
  let expected: Record<string, string[]>;
  before(async () => {
    expected = await live(typescript);
    const changes = ["startTask", "updateActionProperties", "updateLoopItems"];
    const settings = [...Array(2).fill("updateTaskParameters"), ...Array(3).fill("updateTaskUrls")];
    const operations = Object.entries(expected).map(([step, all]) => [step, all.map((each) => each.split(" ")[0])]);
    assert.deepEqual(Object.fromEntries(operations), {
      create: [...Array(3).fill("copyTask"), ...changes, ...settings],
      subtasks: ["startSubtasks"],
      unchanged: [],
      change: [...changes, ...settings],
      drift: ["updateActionProperties"],
      functions: ["getActions", "getBatchData", "getData", "getNotExportedData", "getSubtasks"],
      destroy: [...Array(3).fill("removeData"), "updateTaskParameters"],
    });
  });

  for (const [language, front] of Object.entries(others)) {
    it(`sends the same requests in ${language} as in TypeScript`, async () => {
      assert.deepEqual(await live(front), expected);
    });
  }
});
