import type { Resource } from "@pulumi/pulumi";
import { Output, RunError } from "@pulumi/pulumi";
import { describeSharedFile } from "../resources/export/destinations/fileIdentity";
import { fileBefore } from "../resources/export/outputPath";
import type { AnyResource } from "../resources/index";
import type { OwnedPart } from "../resources/ownership";
import { describeConflict, Owners } from "../resources/ownership";
import { perProgram } from "./perProgram";

/** What a program has declared for one task so far. */
interface DeclaredTask {
  readonly owners: Owners<OwnedPart>;
  readonly settings: Declared[];
  readonly runs: Declared[];
}

interface Declared {
  title: string;
  resource: Resource;
}

/** By the outputs that name a task, and by the strings. */
const declaredTasks = perProgram(() => new Map<unknown, DeclaredTask>());

/**
 * What was declared for a task. All resources of a task take `copy.id`. So Pulumi alone would start a paid run on a
 * task that is not configured yet, and an export before its run has ended. The same output, or the same string with the
 * same profile, is the same task: another account or another service can have a task with the same id.
 */
export function taskOf(named: unknown, profile: unknown): DeclaredTask {
  // An id can be an integer in a program without types.
  const taskId = typeof named === "number" ? String(named) : named;
  const isKnown = typeof taskId === "string" && (profile === undefined || typeof profile === "string");
  const key = isKnown ? JSON.stringify([profile, taskId]) : taskId;
  const found = declaredTasks().get(key) ?? { owners: new Owners(), settings: [], runs: [] };
  if (isKnown || Output.isInstance(taskId)) {
    declaredTasks().set(key, found);
  }
  return found;
}

/** Notes outputs that name a task too. */
export function alias(task: DeclaredTask, ...outputs: unknown[]): void {
  for (const each of outputs.filter(Output.isInstance)) {
    declaredTasks().set(each, task);
  }
}

/** Refuses a second owner of the same part of a task. Unknown values never conflict. */
export function claim(resource: Resource, title: string, { owners }: DeclaredTask, parts: readonly OwnedPart[]): void {
  const owner = { key: resource, title };
  const found = owners.conflictWith(owner, parts);
  if (found !== undefined) {
    throw new RunError(
      `${describeConflict(found.other.title, title, found.part, "the same task")} Keep it in one of them.`,
    );
  }
  owners.note(owner, parts, "declared");
}

/** The titles of exports by their files and runs. */
const files = perProgram(() => new Map<string, Map<unknown, string>>());

/** Refuses a second export to one file, as far as the program knows the path and names the run in the same way. */
export function claimFile(title: string, { path, lotNo }: Readonly<Record<string, unknown>>): void {
  const found = fileBefore(process.cwd(), path, lotNo);
  if (found !== undefined) {
    const exports = files().get(found.file) ?? new Map<unknown, string>();
    files().set(found.file, exports);
    const other = exports.get(found.run);
    if (other !== undefined) {
      throw new RunError(`${title}: path ${describeSharedFile(found.file, other)}.`);
    }
    exports.set(found.run, title);
  }
}

/**
 * The resources that must be in place before this one. Refuses settings that are declared after a run that needs them.
 */
export function dependenciesOf({ provides, waitsFor }: AnyResource, title: string, task: DeclaredTask): Resource[] {
  const [firstRun] = task.runs;
  if (provides === "settings" && firstRun !== undefined) {
    throw new RunError(
      `${title} configures the task of ${firstRun.title}, which is declared before it. The run would start on a task that is not configured yet. ` +
        `Declare ${title} before ${firstRun.title}.`,
    );
  }
  return waitsFor === undefined ? [] : task[waitsFor].map(({ resource }) => resource);
}

export function declare(resource: Resource, { provides }: AnyResource, title: string, task: DeclaredTask): void {
  if (provides !== undefined) {
    task[provides].push({ title, resource });
  }
}
