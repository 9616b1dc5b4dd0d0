import { isPlainMap } from "../values/plain";
import type { DeclaredExport, DeclaredRun, DeclaredTask } from "./declaredTasks";

/** What the class `Manifest` and the component of the native plugin share. */

/**
 * The reader of manifests, loaded with the first use: an import at the top would load the parser with every program and
 * every command.
 */
export function manifestReader(): typeof import("./readManifests") {
  // biome-ignore lint/style/noCommonJs: see above
  return require("./readManifests");
}

export function pathsOf(path: unknown): unknown[] {
  return Array.isArray(path) ? path : [path];
}

/** What is wrong with the arguments, whatever the files contain. */
export function problemOfArgs(path: unknown, variables: unknown): string | undefined {
  const paths = pathsOf(path);
  if (paths.length === 0 || paths.some((each) => typeof each !== "string")) {
    return "path must be a string or a non-empty list of strings";
  }
  return isPlainMap(variables) ? undefined : "variables must be a map of values by their names";
}

/** How each resource is declared. */
interface Declaring<Task, Run, Export> {
  task(declared: DeclaredTask): Task;
  /** @param rerunOn the tasks whose changes start it again */
  run(declared: DeclaredRun, task: Task, rerunOn: Task[] | undefined): Run;
  /** @param run the run of its task, if it has one */
  export(declared: DeclaredExport, task: Task, run: Run | undefined): Export;
}

/** The resources of tasks: the tasks and the exports by their names, the runs by the names of their tasks. */
export interface DeclaredResources<Task, Run, Export> {
  tasks: ReadonlyMap<string, Task>;
  runs: ReadonlyMap<string, Run>;
  exports: ReadonlyMap<string, Export>;
}

/** Declares the resources. All tasks come before the first run: a run may start again with a change of any task. */
export function declareAll<Task, Run, Export>(
  declared: readonly DeclaredTask[],
  make: Declaring<Task, Run, Export>,
): DeclaredResources<Task, Run, Export> {
  const tasks = new Map(declared.map((each) => [each.name, make.task(each)]));
  const runs = new Map<string, Run>();
  const exports = new Map<string, Export>();
  for (const { name, run, exports: ofTask } of declared) {
    const task = tasks.get(name) as Task;
    if (run !== undefined) {
      const rerunOn = run.rerunOn?.flatMap((each) => tasks.get(each) ?? []);
      runs.set(name, make.run(run, task, rerunOn));
    }
    for (const each of ofTask) {
      exports.set(each.name, make.export(each, task, runs.get(name)));
    }
  }
  return { tasks, runs, exports };
}
