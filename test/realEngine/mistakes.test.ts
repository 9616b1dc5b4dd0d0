import assert from "node:assert/strict";
import type { Emulator } from "webextract-emulator";
import { documentedBehaviour, startEmulator } from "webextract-emulator";
import { pluginFolder } from "./plugin/nativeWorld";
import { template, World } from "./world";

/** A mistake of a first day: what is declared, and what each error of its resources must say. */
interface Mistake {
  profile?: string;
  taskId?: string;
  sourceTaskId?: string;
  taskGroupId?: string;
  says: RegExp;
  /** Resources that say something else, or nothing is wrong with. */
  except?: Record<string, RegExp | undefined>;
}

const notYours =
  /\s(?:\* )?This account does not have task \S+\. \w+ \(\w+ \/\S+\) (?:did nothing|failed): .* TaskNotBelongToYou: .* Either the id is wrong, or/;
const busy =
  /A run of task template-2 is in progress\. \w+ \(.*\) did nothing: .* Waited \d+ s for the task to end its run\. .*Wait for its end or/;
const mistakes: Record<string, Mistake> = {
  wrongTask: { taskId: "template-11", says: notYours },
  wrongGroup: {
    taskId: "template-3",
    taskGroupId: "group-11",
    says: /Task group "group-11" does not exist, or belongs to another account\. copyTask \(.*\) did nothing: .* Check taskGroupId/,
    except: { settings: undefined, urls: undefined, rows: undefined, run: undefined, adopted: undefined },
  },
  foreign: { profile: "foreign", says: notYours },
  wrongPath: {
    profile: "wrongPath",
    says: /400 NotFound: .* Check that webextract:profiles\.wrongPath\.baseUrl is the address of the service, with/,
  },
  wrongKey: {
    profile: "wrongKey",
    taskId: "template-4",
    sourceTaskId: "template-1",
    says: /The service does not accept the API key\. .* did nothing: .*Invalid\.Token: "the API key is not known"\. .* Check the API key \(webextract:profiles\.wrongKey\.apiKey\)/,
    except: { copy: undefined, settings: undefined, rows: undefined, run: undefined, adopted: undefined },
  },
  expired: {
    profile: "expired",
    says: /The service accepts no access token: webextract:profiles\.expired\.accessToken was refused\. .* Set a valid webextract:profiles\.expired\.access/,
    except: { urls: undefined },
  },
  plan: {
    profile: "plan",
    says: /The account's plan or its rights do not allow this\. .* PermissionDenied: .* (?:paid|Enterprise) plan: check/,
  },
  busy: { taskId: "template-2", says: busy, except: { copy: undefined, rows: undefined } },
};

const program = (stage: "tasks" | "runs" | "adopted"): string => `
const actions = { open: { actionType: "NavigateAction", properties: { Url: "https://new.test/" } } };
const mistakes = ${JSON.stringify(mistakes)};
for (const [name, { profile, taskId = "template-1", sourceTaskId = taskId, taskGroupId = "group-1" }] of Object.entries(mistakes)) {
  if (${stage === "adopted"}) {
    new ExtractionTask(name + "-adopted", { from: { adoptTaskId: taskId }, actions, profile });
    continue;
  }
  if (${stage === "runs"}) {
    new CloudRun(name + "-run", { taskId, profile, pollSeconds: 0 });
    continue;
  }
  new TaskCopy(name + "-copy", { sourceTaskId, taskGroupId, profile });
  new TaskParameters(name + "-settings", { taskId, actions, profile });
  new TaskStartUrls(name + "-urls", { taskId, urls: ["https://new.test/"], profile });
  new DataExport(name + "-rows", { taskId, scope: "all", path: "out/" + name + ".ndjson", profile });
}`;

/** The errors in the diagnostics of an output, by the name of their resource. */
function errorsIn(output: string): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  const blocks = output.slice(output.indexOf("Diagnostics:")).split(/\n(?= {2}\S)/);
  for (const block of blocks) {
    const [, name] = /^ {2}\S+ \((\w+-\w+)\):/.exec(block) ?? [];
    const errors = block.split(/\n(?= {4}(?:error|warning):)/).filter((each) => each.startsWith("    error:"));
    if (name !== undefined && errors.length > 0) found[name] = errors;
  }
  return found;
}

for (const front of ["dynamic", "native"] as const) {
  describe(`a mistake of a first day at a service as documentation reports it, on the ${front} engine`, function () {
    this.timeout(120_000);
    let world: World;
    let free: Emulator;
    let first: Record<string, string[]>;
    let second: Record<string, string[]>;
    let third: Record<string, string[]>;

    before(async () => {
      const [one] = template.tasks ?? [];
      const tasks = [1, 2, 3, 4].map((n) => ({ actions: [], taskGroupId: "group-1", ...one, taskId: `template-${n}` }));
      const seed = { ...template, tasks };
      const behaviour = documentedBehaviour;
      free = await startEmulator({ seed: { ...seed, plan: "free" }, behaviour });
      const isNative = front === "native";
      world = await World.create({
        program: "",
        emulator: { seed, behaviour },
        config: {
          "webextract:busyTimeoutSeconds": "1",
          "webextract:forceDestroy": "true",
          ...(isNative && { "webextract:native": "true" }),
        },
        ...(isNative && { path: [pluginFolder()] }),
      });
      const { emulator, project } = world;
      const { accessToken, apiKey } = emulator.credentials;
      const other = emulator.change.addAccount("other");
      const profiles = {
        foreign: { accessToken: other.accessToken, apiKey: other.apiKey },
        wrongPath: { baseUrl: `${emulator.url}/v2`, accessToken, apiKey },
        wrongKey: { accessToken, apiKey: "a-key-that-nobody-has" },
        expired: { accessToken: "a-token-that-has-expired", apiKey },
        plan: { baseUrl: free.url, ...free.credentials, refreshToken: undefined },
      };
      await project.configure({}, { "webextract:profiles": JSON.stringify(profiles) });
      emulator.change.holdRuns();
      emulator.change.startRun("template-2");
      const up = async (stage: Parameters<typeof program>[0]) => {
        world.program(program(stage));
        return errorsIn((await project.up({ expect: "failure", args: ["--continue-on-error"] })).output);
      };
      first = await up("tasks");
      second = await up("runs");
      third = await up("adopted");
    });
    after(async () => {
      await world.remove();
      await free.close();
    });

    for (const [name, { says, except = {} }] of Object.entries(mistakes)) {
      it(`is named by one error of each resource, with the next step: ${name}`, () => {
        for (const resource of ["copy", "settings", "urls", "rows", "run", "adopted"]) {
          const errors = { ...first, ...second, ...third }[`${name}-${resource}`] ?? [];
          const expected = resource in except ? except[resource] : says;
          assert.equal(errors.length, expected === undefined ? 0 : 1, `${resource}: ${errors.join("\n")}`);
          if (expected !== undefined) assert.match(errors[0] ?? "", expected, resource);
        }
      });
    }

    it("is no reason to speak of a paid run, or of a copy or an adopted task that may exist", async () => {
      const stays = /may|stays in the state/;
      const unclear = Object.entries({ ...first, ...second, ...third }).filter(([, [error = ""]]) => stays.test(error));
      assert.deepEqual(
        unclear.map(([name]) => name),
        [],
      );
      const written = /^\/v2\/(?:cloudextraction\/start|task\/(?!getActions))/;
      assert.equal(world.emulator.requests.filter(({ path }) => written.test(path)).length, 0);
      const state = JSON.stringify(await world.project.exportStack());
      const adopted = Object.keys(mistakes).filter((name) => state.includes(`::${name}-adopted"`));
      assert.deepEqual(adopted, ["wrongGroup", "wrongKey"]);
    });
  });
}
