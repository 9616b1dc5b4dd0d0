import type { Input, Resource } from "@pulumi/pulumi";
import { Output, RunError } from "@pulumi/pulumi";
import { forEachProgram } from "./program";

/**
 * What a program declares for each task. All resources of a task take `copy.id`, so nothing in Pulumi would keep a paid run from starting
 * on a task that isn't configured yet, or an export from reading before the run has ended.
 */

/** A task as a resource names it: the same Output, or the same text in the same account, is the same task. */
export interface TaskName {
  taskId: Input<unknown>;
  /** The resource's profile: another account, or another service, may have a task of the same id. */
  profile: Input<unknown>;
}

type TaskKey = string | Output<unknown>;

interface DeclaredTask {
  /** Who decides what, in words that name it. */
  owners: Map<string, string>;
  configurations: Resource[];
  runs: { name: string; run: Resource }[];
}

class DeclaredTasks {
  private readonly tasks = new Map<TaskKey, DeclaredTask>();
  private readonly aliases = new Map<Output<unknown>, TaskKey>();

  of(name: TaskName): DeclaredTask {
    const key = this.keyOf(name);
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
  alias(output: unknown, name: TaskName): void {
    const key = this.keyOf(name);
    if (Output.isInstance(output) && key !== undefined) {
      this.aliases.set(output, key);
    }
  }

  private keyOf({ taskId, profile }: TaskName): TaskKey | undefined {
    if (Output.isInstance(taskId)) {
      return this.aliases.get(taskId) ?? taskId;
    }
    const isKnown = typeof taskId === "string" && (profile === undefined || typeof profile === "string");
    return isKnown ? JSON.stringify([profile, taskId]) : undefined;
  }
}

const declaredTasks = forEachProgram(() => new DeclaredTasks());

/** Refuses a second owner of the same part of a task; what is not known yet never conflicts. */
export function claim(type: string, name: string, task: TaskName, decides: readonly string[]): void {
  const { owners } = declaredTasks().of(task);
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
export function dependenciesOf(type: string, name: string, taskName: TaskName, configuresTask: boolean): Resource[] {
  const task = declaredTasks().of(taskName);
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

/** Notes the outputs of a resource that name its task. Where the resource's id is the task's, others can be chained by it. */
export function alias(resource: { id: unknown; taskId: unknown }, task: TaskName, isIdOfTask: boolean): void {
  const tasks = declaredTasks();
  tasks.alias(resource.taskId, task);
  if (isIdOfTask) {
    tasks.alias(resource.id, task);
  }
}

/** Notes a declared resource; `task` is the one that it was given, took over, or makes. */
export function declare(
  resource: Resource,
  { type, name, task, configuresTask }: { type: string; name: string; task: TaskName; configuresTask: boolean },
): void {
  const declared = declaredTasks().of(task);
  if (type === "CloudRun") {
    declared.runs.push({ name, run: resource });
  }
  if (configuresTask) {
    declared.configurations.push(resource);
  }
}
