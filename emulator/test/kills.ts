import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { emulator as emulatorProcess } from "./emulatorProcess";
import { savedState } from "./savedState";

/** Requests that are sent at the same time. */
const atOnce = 8;

const accessToken = "access-of-the-kills";
const seed = {
  credentials: { accessToken },
  taskGroups: [{ taskGroupId: "group" }],
  tasks: [
    {
      taskId: "template",
      taskGroupId: "group",
      syntheticRows: 2,
      actions: [{ actionType: "LoopAction", actionId: "loop", loopType: "TextList" }],
    },
  ],
};

const parallelRuns = ["--behaviour", "startWhileRunning=newRun"];

/** What the emulator has acknowledged. */
interface Acknowledged {
  copies: string[];
  items: string[];
  lots: string[];
}

const kinds = ["copies", "items", "lots"] as const;

/** Kills an emulator again and again while it changes its state, and checks after each kill that it holds every change that it acknowledged. */
export async function killUnderLoad(kills: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "emulator-kills-"));
  const state = join(folder, "state.db");
  const seedFile = join(folder, "seed.json");
  writeFileSync(seedFile, JSON.stringify(seed));
  const acknowledged: Acknowledged = { copies: [], items: [], lots: [] };
  const start = async () => {
    const running = emulatorProcess("--port", "0", "--quiet", "--state", state, "--seed", seedFile, ...parallelRuns);
    return { running, url: await running.says(/webextract:baseUrl (http:\S+)/) };
  };
  for (let kill = 0; kill < kills; kill += 1) {
    const { running, url } = await start();
    // Each kill comes at another moment of the saves.
    let left = 1 + ((kill * 7) % 40);
    const ended = once(running.process, "exit");
    const send = async (worker: number) => {
      for (let count = 0; left > 0; count += 1) {
        if (!(await sendOne(url, kinds[(worker + count) % kinds.length], `${kill}-${worker}-${count}`, acknowledged)))
          break;
        left -= 1;
        if (left === 0) running.process.kill("SIGKILL");
      }
    };
    await Promise.all(Array.from({ length: atOnce }, (_, worker) => send(worker)));
    await ended;
    const { tasks, runs } = await savedState(state);
    const held = {
      copies: new Set(tasks.map(({ taskId }) => taskId)),
      items: new Set(tasks.find(({ taskId }) => taskId === "template")?.actions[0]?.loopItems),
      lots: new Set(runs.map(({ lotNo }) => lotNo)),
    };
    for (const kind of kinds) {
      const lost = acknowledged[kind].filter((each) => !held[kind].has(each));
      assert.deepEqual(lost, [], `${kind} lost by kill ${kill + 1}`);
    }
  }
  assert.ok(acknowledged.copies.length > 0 && acknowledged.items.length > 0 && acknowledged.lots.length > 0);
  const { running } = await start();
  running.process.kill("SIGTERM");
  assert.equal(await running.ended, 0);
  assert.deepEqual(readdirSync(folder).sort(), ["seed.json", "state.db"]);
  rmSync(folder, { recursive: true });
}

/** Sends one change. @returns whether it was acknowledged. */
async function sendOne(
  url: string,
  kind: keyof Acknowledged | undefined,
  name: string,
  acknowledged: Acknowledged,
): Promise<boolean> {
  const requests = {
    items: {
      path: "/task/updateLoopItems",
      body: { taskId: "template", actionId: "loop", loopType: "TextList", loopItems: [name], isAppend: true },
    },
    copies: { path: "/task/copy?taskId=template&taskGroupId=group", body: undefined },
    lots: { path: "/cloudextraction/start", body: { taskId: "template" } },
  };
  const { path, body } = requests[kind ?? "items"];
  try {
    const response = await fetch(`${url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${accessToken}`, ...(body && { "content-type": "application/json" }) },
      body: body && JSON.stringify(body),
    });
    const { data } = (await response.json()) as { data?: { taskId?: string; lotNo?: string } };
    assert.equal(response.status, 200);
    if (kind === "items") acknowledged.items.push(name);
    if (kind === "copies") acknowledged.copies.push(String(data?.taskId));
    if (kind === "lots") acknowledged.lots.push(String(data?.lotNo));
    return true;
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
    // The emulator was killed before the response.
    return false;
  }
}
