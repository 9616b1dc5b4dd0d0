import type { Input, Resource } from "@pulumi/pulumi";
import { Output, RunError } from "@pulumi/pulumi";
import type { AnyResource } from "../resources/index";
import type { OwnedPart } from "../resources/ownership";
import { describeConflict, TaskOwners } from "../resources/ownership";
import type { TaskPart } from "../resources/resource";
import { perProgram } from "./perProgram";

/**
 * What a program declares for each task. All resources of a task take `copy.id`. So Pulumi alone would start a paid run on a task that is
 * not configured yet, and an export before its run has ended.
 */

/** A task as a resource names it: the same Output, or the same string in the same account, is the same task. */
export interface TaskName {
  taskId: Input<unknown>;
  /** The profile of the resource. Another account or another service can have a task with the same id. */
  profile: Input<unknown>;
}

type TaskKey = string | Output<unknown>;

interface DeclaredTask {
  readonly owners: TaskOwners;
  /** What was declared so far, by what it provides. */
  readonly declared: Readonly<Record<TaskPart, Declared[]>>;
}

interface Declared {
  title: string;
  resource: Resource;
}

class DeclaredTasks {
  private readonly tasks = new Map<TaskKey, DeclaredTask>();
  private readonly aliases = new Map<Output<unknown>, TaskKey>();

  of(name: TaskName): DeclaredTask {
    const key = this.keyOf(name);
    const task = (key === undefined ? undefined : this.tasks.get(key)) ?? {
      owners: new TaskOwners(),
      declared: { settings: [], runs: [] },
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

const declaredTasks = perProgram(() => new DeclaredTasks());

/** Refuses a second owner of the same part of a task. Unknown values never conflict. */
export function claim(resource: Resource, title: string, task: TaskName, parts: readonly OwnedPart[]): void {
  const { owners } = declaredTasks().of(task);
  const owner = { key: resource, title };
  const found = owners.conflictWith(owner, parts);
  if (found !== undefined) {
    throw new RunError(
      `${describeConflict(found.other.title, title, found.part, "the same task")} Keep it in one of them.`,
    );
  }
  owners.note(owner, parts, "declared");
}

/** The resources that must be in place before this one. Refuses settings that are declared after a run that needs them. */
export function dependenciesOf({ provides, waitsFor }: AnyResource, title: string, task: TaskName): Resource[] {
  const { declared } = declaredTasks().of(task);
  const [firstRun] = declared.runs;
  if (provides === "settings" && firstRun !== undefined) {
    throw new RunError(
      `${title} configures the task of ${firstRun.title}, which is declared before it. The run would start on a task that is not configured yet. ` +
        `Declare ${title} before ${firstRun.title}.`,
    );
  }
  return waitsFor === undefined ? [] : declared[waitsFor].map(({ resource }) => resource);
}

/** Notes the outputs of a resource that name its task: `taskId`, and `id` where it is the id of the task. */
export function alias(resource: { id: unknown; taskId: unknown }, task: TaskName, isIdOfTask: boolean): void {
  const tasks = declaredTasks();
  tasks.alias(resource.taskId, task);
  if (isIdOfTask) {
    tasks.alias(resource.id, task);
  }
}

/** Notes a declared resource; `task` is the task that it was given, adopts, or makes. */
export function declare(resource: Resource, { provides }: AnyResource, title: string, task: TaskName): void {
  if (provides !== undefined) {
    declaredTasks().of(task).declared[provides].push({ title, resource });
  }
}
