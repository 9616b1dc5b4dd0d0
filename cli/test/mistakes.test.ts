import assert from "node:assert/strict";
import type { Emulator } from "webextract-emulator";
import { documentedBehaviour, startEmulator } from "webextract-emulator";
import { CliWorld, shop } from "./webextract";

const commands = [
  ...["actions TASK", "adopt TASK", "rows TASK", "status TASK", "stop TASK", "export TASK"],
  ...["run TASK --yes", "run TASK --lot-no 639308323497897245"],
];
const notYours = /the id is wrong, or the task belongs to another account, or it was deleted/;

describe("a command with one mistake, at a service as documentation reports it", () => {
  let world: CliWorld;
  let free: Emulator;
  before(async () => {
    const behaviour = { ...documentedBehaviour, requestsPerSecond: 0 };
    const seed = { taskGroups: [{ taskGroupId: "shops" }], tasks: [shop] };
    free = await startEmulator({ seed: { ...seed, plan: "free" }, behaviour });
    world = await CliWorld.create({ seed, behaviour });
  });
  after(async () => {
    world.remove();
    await free.close();
  });

  interface Mistake {
    taskId?: string;
    env?: () => Record<string, string | undefined>;
    code: number;
    says: RegExp;
  }
  const mistakes: Record<string, Mistake> = {
    "a wrong task": { taskId: "shop-2", code: 4, says: notYours },
    "a task of another account": {
      env: () => {
        const { accessToken, apiKey } = world.emulator.change.addAccount("other");
        return { WEBEXTRACT_ACCESS_TOKEN: accessToken, WEBEXTRACT_API_KEY: apiKey };
      },
      code: 4,
      says: notYours,
    },
    "a wrong path": {
      env: () => ({ WEBEXTRACT_BASE_URL: `${world.emulator.url}/v2` }),
      code: 1,
      says: /NotFound: .* Check that WEBEXTRACT_BASE_URL is the address of the service, with the whole path in front/,
    },
    "a wrong key": {
      env: () => ({
        WEBEXTRACT_ACCESS_TOKEN: undefined,
        WEBEXTRACT_API_KEY: "a-key-that-nobody-has",
        WEBEXTRACT_CREDENTIALS: "apiKey",
      }),
      code: 3,
      says: /Invalid\.Token: .* Check the API key \(WEBEXTRACT_API_KEY\)\.$/,
    },
    "an expired token": {
      env: () => ({ WEBEXTRACT_ACCESS_TOKEN: "a-token-that-has-expired" }),
      code: 3,
      says: /WEBEXTRACT_ACCESS_TOKEN was refused\. .* Set a valid WEBEXTRACT_ACCESS_TOKEN,/,
    },
    "another plan": {
      env: () => ({ WEBEXTRACT_BASE_URL: free.url, WEBEXTRACT_ACCESS_TOKEN: free.credentials.accessToken }),
      code: 3,
      says: /PermissionDenied: .* paid plan: check the account's plan and rights\.$/,
    },
  };
  for (const [mistake, { taskId = "shop-1", env = () => ({}), code, says }] of Object.entries(mistakes)) {
    it(`says so in one line, and starts nothing: ${mistake}`, async () => {
      const environment = env();
      for (const command of commands) {
        const ended = await world.run(command.replace("TASK", taskId), environment);
        assert.deepEqual([ended.code, ended.stdout], [code, ""], `${command}: ${ended.stderr}`);
        const [line = "", ...more] = ended.stderr.trim().split("\n");
        assert.match(line, says, command);
        assert.deepEqual(more, [], command);
        // What it means comes before what was sent and received.
        if (mistake !== "a wrong path") assert.match(line, /^error: Th(?:e|is) (?:service|account)\b/, command);
      }
      assert.ok(!world.emulator.requests.some(({ path }) => path.endsWith("/cloudextraction/start")));
    });
  }

  it("waits for a running task, and then says that it runs", async () => {
    world.emulator.change.holdRuns();
    world.emulator.change.startRun("shop-1");
    const ended = await world.run("run shop-1 --yes", { WEBEXTRACT_BUSY_TIMEOUT_SECONDS: "1" });
    assert.equal(world.emulator.inspect.runs("shop-1").length, 1);
    assert.match(
      ended.stderr,
      /^error: A run of task shop-1 is in progress\. startTask \(.*\) did nothing: .* Waited \d+ s for the task/m,
    );
  });
});
