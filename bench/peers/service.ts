import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { EmulatorOptions, TaskView } from "webextract-emulator";
import { credentials, groupId, templateId } from "../stage/emulatorProcess";
import { actionType, loopActionId, loopType, openActionId, propertyName } from "./programs/work";
import type { Counts } from "./result";

/** Typical response time of such services. */
const usualLatencyMs = 20;

/** The service of one peer. Counts requests, and changes tasks without the peer. */
export class PeerService {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
  ) {}

  /** @param requestsPerSecond rate limit; none by default */
  static async start({ requestsPerSecond = 0, latencyMs = usualLatencyMs } = {}): Promise<PeerService> {
    const child = fork(join(__dirname, "serviceChild.cjs"), { stdio: "inherit", execArgv: [] });
    const options: EmulatorOptions = {
      latencyMs,
      behaviour: { requestsPerSecond },
      seed: {
        credentials,
        taskGroups: [{ taskGroupId: groupId }],
        tasks: [
          {
            taskId: templateId,
            taskGroupId: groupId,
            actions: [
              { actionType, actionId: openActionId, properties: { [propertyName]: "https://shop.test/" } },
              { actionType: "LoopAction", actionId: loopActionId, loopType, loopItems: [] },
            ],
          },
        ],
      },
    };
    return new PeerService(await tell<string>(child, "start", options), child);
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Requests since the last call. */
  takeCounts(): Promise<Counts> {
    return tell(this.child, "takeCounts");
  }

  /** The copies of the template, in order of creation. */
  async copies(): Promise<TaskView[]> {
    const tasks = await tell<TaskView[]>(this.child, "tasks");
    return tasks.filter(({ taskId }) => taskId !== templateId);
  }

  async setProperty(taskId: string, value: string): Promise<void> {
    await tell(this.child, "setProperty", { taskId, actionId: openActionId, name: propertyName, value });
  }

  async deleteTask(taskId: string): Promise<void> {
    await tell(this.child, "deleteTask", { taskId });
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null) {
      const end = once(this.child, "exit");
      this.child.disconnect();
      await end;
    }
  }
}

/** Sends one message at a time. */
async function tell<T>(child: ChildProcess, order: string, argument?: unknown): Promise<T> {
  const reply = once(child, "message") as Promise<[{ answer: T; problem?: string }]>;
  child.send({ order, argument });
  const [{ answer, problem }] = await reply;
  if (problem !== undefined) {
    throw new Error(`the service of a peer: ${problem}`);
  }
  return answer;
}
