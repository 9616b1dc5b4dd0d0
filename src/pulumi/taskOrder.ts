import type { Input, Resource } from "@pulumi/pulumi";
import { Output, RunError } from "@pulumi/pulumi";
import { forEachProgram } from "./program";

/**
 * What a program declares for each task. All resources of a task take `copy.id`, so nothing in Pulumi would keep a paid run from starting
 * on a task that isn't configured yet, or an export from reading before the run has ended.
 */

/** The same Output, or the same text, is the same task. */
type TaskKey = string | Output<unknown>;

interface DeclaredTask {
  /** Who decides what, in words that name it. */
  owners: Map<string, string>;
  configurations: Resource[];
  runs: { name: string; run: Resource }[];
}

class DeclaredTasks {
  private readonly tasks = new Map<TaskKey, DeclaredTask>();
  private readonly aliases = new Map<TaskKey, TaskKey>();

  of(taskId: Input<unknown>): DeclaredTask {
    const key = this.keyOf(taskId);
    const task = (key === undefined ? undefined : this.tasks.get(key)) ?? {
      owners: new Map(),
      configurations: [],
      runs: [],
    };
    if (key !== undefined) {
      this.tasks.set(key, task);
    }
    return task;
  }

  /** Notes that an output is another name of a task. */
  alias(output: unknown, taskId: Input<unknown>): void {
    const key = this.keyOf(taskId);
    if (Output.isInstance(output) && key !== undefined) {
      this.aliases.set(output, key);
    }
  }

  private keyOf(taskId: Input<unknown>): TaskKey | undefined {
    if (typeof taskId !== "string" && !Output.isInstance(taskId)) {
      return undefined;
    }
    return this.aliases.get(taskId) ?? taskId;
  }
}

const declaredTasks = forEachProgram(() => new DeclaredTasks());

/** Refuses a second owner of the same part of a task; what is not known yet never conflicts. */
export function claim(type: string, name: string, taskId: Input<unknown>, decides: readonly string[]): void {
  const { owners } = declaredTasks().of(taskId);
  for (const part of decides) {
    const owner =
      owners.get(part) ?? owners.get("everything") ?? (part === "everything" ? [...owners.values()][0] : undefined);
    if (owner !== undefined) {
      const what = part === "everything" ? "the task" : part;
      throw new RunError(
        `${owner} and ${type} "${name}" both decide ${what} of one task: each up would undo what the other wrote. Leave it to one of them.`,
      );
    }
  }
  for (const part of decides) {
    owners.set(part, `${type} "${name}"`);
  }
}

/** The resources that must be in place before this one. */
export function dependenciesOf(
  type: string,
  name: string,
  taskId: Input<unknown>,
  configuresTask: boolean,
): Resource[] {
  const task = declaredTasks().of(taskId);
  const firstRun = task.runs[0];
  if (configuresTask && firstRun !== undefined) {
    throw new RunError(
      `${type} "${name}" configures the task of CloudRun "${firstRun.name}", which is declared before it: the run would start on a task that is not configured yet. ` +
        `Move "${name}" before "${firstRun.name}".`,
    );
  }
  if (type === "CloudRun") {
    return task.configurations;
  }
  return type === "DataExport" || type === "CloudSubtasks" ? task.runs.map(({ run }) => run) : [];
}

/** Notes a declared resource; `taskId` is the argument that it was given, or the id of the task that it makes. */
export function declare(
  resource: Resource & { id: unknown; taskId: unknown },
  {
    type,
    name,
    taskId,
    configuresTask,
  }: { type: string; name: string; taskId: Input<unknown>; configuresTask: boolean },
): void {
  const tasks = declaredTasks();
  const task = tasks.of(taskId);
  tasks.alias(resource.taskId, taskId);
  // The id of a run is its lotNo and that of an export a file; all others have the task's, so that resources can be chained by it.
  if (type === "CloudRun") {
    task.runs.push({ name, run: resource });
  } else if (type !== "DataExport") {
    tasks.alias(resource.id, taskId);
  }
  if (configuresTask) {
    task.configurations.push(resource);
  }
}
