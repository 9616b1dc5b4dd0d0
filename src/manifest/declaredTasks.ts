import type { Problem } from "../resources/args";
import { dataExport } from "../resources/export/dataExport";
import { extractionTask, givenLists } from "../resources/extractionTask";
import type { AnyResource } from "../resources/index";
import type { FilePlaces } from "../resources/lists/allowedFile";
import { checkList } from "../resources/lists/checkList";
import { entryOf, isPlainMap, unknown } from "../resources/values";
import { didYouMean } from "../service/errors/likelyName";
import type { Values } from "./documentReader";
import type { ResourceOptions } from "./documentShapes";
import type { Place, Problems } from "./problems";

/** A task that a manifest declares. */
export interface DeclaredTask extends Declared {
  /** Where it is declared: its `name`, its value under `tasks`, or the document of a file that has its name. */
  at: Place;
  run?: DeclaredRun;
  exports: DeclaredExport[];
}

export interface DeclaredRun extends Declared {
  /** Names of tasks. */
  rerunOn?: string[];
}

export interface DeclaredExport extends Declared {
  /** Whether it reads the rows of the run of its task. */
  readsRun: boolean;
}

export interface Declared {
  /** The name of the resource. */
  name: string;
  /** Its earlier names, and its earlier URNs. */
  was: string[];
  opts: ResourceOptions;
  /** The arguments of the resource, without those that the manifest fills in. */
  args: Record<string, unknown>;
}

/** A task as its document gives it. */
export interface GivenTask {
  name: string;
  /** Where the name is given. */
  at: Place;
  /** The values of the document. */
  values: Values;
  /** What the checks see of them. */
  checked: Values;
  placeOf: (path: string) => Place;
}

/** A name of a task, and where a manifest has it. */
export interface NameAt {
  name: string;
  at: Place;
}

/** The tasks of all documents, and what only all of them together show. */
export class DeclaredTasks {
  readonly all: DeclaredTask[] = [];
  /** Where tasks name other tasks. */
  readonly rerunOn: NameAt[] = [];
  private readonly earlierNames: (NameAt & { task: string })[] = [];

  constructor(
    private readonly problems: Problems,
    private readonly places: FilePlaces,
  ) {}

  add(task: GivenTask): void {
    const { name, at, values, checked, placeOf } = task;
    const { run, exports, name: _name, was, opts, ...args } = values;
    const earlier = namesOf(was);
    const before = namesAt(was, (index) => placeOf(`was[${index}]`));
    this.earlierNames.push(...before.map((each) => ({ ...each, task: name })));
    this.report(task, rulesOf(extractionTask, checked));
    // The engine may keep the old value of what it ignores, so a file that is gone is no problem then.
    if (optionsOf(opts).ignoreChanges === undefined) {
      const problems: Problem[] = [];
      for (const list of givenLists(checked)) {
        checkList(list, undefined, { ...this.places, problems });
      }
      this.report(task, problems);
    }
    const entries = isPlainMap(exports) ? Object.entries(exports) : [];
    this.all.push({
      name,
      at,
      was: earlier,
      opts: optionsOf(opts),
      args,
      run: isPlainMap(run) ? this.runOf(run, task, earlier) : undefined,
      exports: entries.flatMap(([key, each]) => (isPlainMap(each) ? [this.exportOf(key, each, task, earlier)] : [])),
    });
  }

  /** Checks what tasks say of each other. */
  checkNames(): void {
    const places = new Map<string, Place>();
    for (const { name, at } of this.all) {
      const first = places.get(name);
      if (first !== undefined) {
        const place = `${first.file.name}:${first.file.lines.linePos(first.offset).line}`;
        const reason = `is the second task with the name "${name}"; the first is ${place}. Give one of them another name`;
        this.problems.add(at, reason);
      }
      places.set(name, first ?? at);
    }
    const ownerOf = new Map<string, string>();
    for (const { name, at, task } of this.earlierNames) {
      if ((ownerOf.get(name) ?? task) !== task) {
        const reason = `is an earlier name "${name}" of two tasks, and the engine would give the old one to either of them. Keep it in one`;
        this.problems.add(at, reason);
      }
      ownerOf.set(name, task);
      if (places.has(name)) {
        const reason = `is the name of a task that exists: "${name}". Only names that are no longer used can be given`;
        this.problems.add(at, reason);
      }
    }
    for (const { name, at } of this.rerunOn.filter((each) => !places.has(each.name))) {
      const likely = didYouMean(name, [...places.keys()]);
      this.problems.add(at, `names the task "${name}", which this manifest does not declare${likely}`);
    }
  }

  private report({ placeOf }: GivenTask, found: readonly Problem[]): void {
    for (const { path, reason } of found) {
      this.problems.add(placeOf(path), reason);
    }
  }

  private runOf({ rerunOn, was, opts, ...args }: Values, { name, placeOf }: GivenTask, earlier: string[]): DeclaredRun {
    this.rerunOn.push(...namesAt(rerunOn, (index) => placeOf(`run.rerunOn[${index}]`)));
    const byDefault = args.triggers === undefined ? [name] : undefined;
    return {
      name,
      was: [...earlier.filter((each) => !isUrn(each)), ...namesOf(was)],
      opts: optionsOf(opts),
      args,
      rerunOn: rerunOn === undefined ? byDefault : namesOf(rerunOn),
    };
  }

  private exportOf(key: string, { was, opts, ...given }: Values, task: GivenTask, earlier: string[]): DeclaredExport {
    const args: Values = { scope: "batch", ...given };
    const readsRun = args.scope === "batch" && args.lotNo === undefined;
    const path = `exports.${key}`;
    if (readsRun && task.values.run === undefined) {
      const advice = "add run: {}, or give lotNo, or another scope";
      this.report(task, [{ path, reason: `reads the rows of a run, but the task has no run: ${advice}` }]);
    }
    // The manifest fills in what the arguments lack.
    const seen = {
      ...args,
      ...entryOf(task.checked.exports as Record<string, Values>, key),
      ...(readsRun && { lotNo: unknown }),
    };
    const found = rulesOf(dataExport, seen);
    this.report(
      task,
      found.map((each) => ({ ...each, path: `${path}.${each.path}` })),
    );
    const before = namesOf(was);
    const keys = [key, ...before.filter((each) => !isUrn(each))];
    const tasks = [task.name, ...earlier.filter((each) => !isUrn(each))];
    const [name = "", ...names] = tasks.flatMap((ofTask) => keys.map((ofExport) => `${ofTask}-${ofExport}`));
    return { name, was: [...names, ...before.filter(isUrn)], opts: optionsOf(opts), args, readsRun };
  }
}

function rulesOf({ rules }: Pick<AnyResource, "rules">, args: Values): Problem[] {
  const found: Problem[] = [];
  rules?.(args, found);
  return found;
}

function namesOf(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((name) => typeof name === "string") : [];
}

function namesAt(list: unknown, placeOf: (index: number) => Place): NameAt[] {
  const items: unknown[] = Array.isArray(list) ? list : [];
  return items.flatMap((name, index) => (typeof name === "string" ? [{ name, at: placeOf(index) }] : []));
}

function optionsOf(opts: unknown): ResourceOptions {
  return isPlainMap(opts) ? (opts as ResourceOptions) : {};
}

function isUrn(name: string): boolean {
  return name.startsWith("urn:pulumi:");
}
