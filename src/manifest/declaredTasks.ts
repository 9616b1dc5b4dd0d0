import type { Problem } from "../resources/args";
import { dataExport } from "../resources/export/dataExport";
import { extractionTask, givenLists } from "../resources/extractionTask";
import type { AnyResource } from "../resources/index";
import { didYouMean } from "../resources/likelyName";
import type { FilePlaces } from "../resources/lists/allowedFile";
import type { GivenList } from "../resources/lists/checkList";
import { checkList } from "../resources/lists/checkList";
import { entryOf, isPlainMap, unknown } from "../resources/values";
import type { ResourceOptions } from "./documentShapes";
import type { Place } from "./nodes";
import type { Problems } from "./problems";
import type { ValueReader, Values } from "./valueReader";

/** A task that a manifest declares. */
export interface DeclaredTask extends Declared {
  /** Where its name is given: a `name`, a key of `tasks`, or the document of a file that has its name. */
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
  reader: ValueReader;
}

/** A name of a task, and where a manifest has it. */
export interface NameAt {
  name: string;
  at: Place;
}

/** The tasks of all documents, and what only all of them together show. */
export class DeclaredTasks {
  private readonly tasks: DeclaredTask[] = [];
  private readonly names: NameAt[] = [];
  private readonly earlierNames: (NameAt & { task: string })[] = [];
  /** The names of other tasks. */
  readonly rerunOn: NameAt[] = [];
  private readonly exports: (NameAt & { task: string })[] = [];
  /** The problems of the files with lists. Many tasks can name one file. */
  private readonly listFiles = new Map<string, Problem[]>();

  constructor(
    private readonly problems: Problems,
    private readonly places: FilePlaces,
  ) {}

  add(task: GivenTask): void {
    const { name, at, values, checked, reader } = task;
    const { run, exports, name: _name, was, opts, ...args } = values;
    const earlier = namesOf(was);
    this.names.push({ name, at: { ...at, path: "" } });
    const before = namesAt(was, (index) => reader.placeOf(`was[${index}]`));
    this.earlierNames.push(...before.map((each) => ({ ...each, task: name })));
    reader.addOfRules(problemsOf(extractionTask, checked));
    // The engine may keep the old value of what it ignores, so a file that is gone is no problem then.
    if (optionsOf(opts).ignoreChanges === undefined) {
      reader.addOfRules(givenLists(checked).flatMap((list) => this.problemsOfList(list)));
    }
    const entries = isPlainMap(exports) ? Object.entries(exports) : [];
    this.tasks.push({
      name,
      at,
      was: earlier,
      opts: optionsOf(opts),
      args,
      run: isPlainMap(run) ? this.runOf(run, task, earlier) : undefined,
      exports: entries.flatMap(([key, each]) => (isPlainMap(each) ? [this.exportOf(key, each, task, earlier)] : [])),
    });
  }

  /** All tasks, after the checks of what they say of each other. */
  finish(): DeclaredTask[] {
    const names = new Map<string, Place>();
    for (const { name, at } of this.names) {
      const first = names.get(name);
      if (first !== undefined) {
        const place = `${first.file.name}:${first.file.lines.linePos(first.offset).line}`;
        const reason = `is the second task with the name "${name}"; the first is ${place}. Give one of them another name`;
        this.problems.add(at, reason);
      }
      names.set(name, first ?? at);
    }
    const ownerOf = new Map<string, string>();
    for (const { name, at, task } of this.earlierNames) {
      if ((ownerOf.get(name) ?? task) !== task) {
        const reason = `is an earlier name "${name}" of two tasks, and the engine would give the old one to either of them. Keep it in one`;
        this.problems.add(at, reason);
      }
      ownerOf.set(name, task);
      if (names.has(name)) {
        const reason = `is the name of a task that exists: "${name}". Only names that are no longer used can be given`;
        this.problems.add(at, reason);
      }
    }
    for (const { name, at } of this.rerunOn) {
      if (!names.has(name)) {
        const likely = didYouMean(name, [...names.keys()]);
        this.problems.add(at, `names the task "${name}", which this manifest does not declare${likely}`);
      }
    }
    this.checkExports();
    return this.tasks;
  }

  private checkExports(): void {
    const owners = new Map<string, string>();
    for (const { name, at, task } of this.exports) {
      const owner = owners.get(name);
      // Two tasks with one name are a problem already.
      if (owner !== undefined && owner !== task) {
        const reason = `has the same name "${name}" as an export of the task "${owner}". Give one of them another name`;
        this.problems.add(at, reason);
      }
      owners.set(name, owner ?? task);
    }
  }

  private runOf({ rerunOn, was, opts, ...args }: Values, { name, reader }: GivenTask, earlier: string[]): DeclaredRun {
    const names = rerunOn === undefined ? undefined : namesOf(rerunOn);
    this.rerunOn.push(...namesAt(rerunOn, (index) => reader.placeOf(`run.rerunOn[${index}]`)));
    const byDefault = args.triggers === undefined ? [name] : undefined;
    return {
      name,
      was: [...earlier.filter((each) => !isUrn(each)), ...namesOf(was)],
      opts: optionsOf(opts),
      args,
      rerunOn: names ?? byDefault,
    };
  }

  private exportOf(
    key: string,
    { was, opts, ...given }: Values,
    { name: task, values, checked, reader }: GivenTask,
    earlier: string[],
  ): DeclaredExport {
    const args: Values = { scope: "batch", ...given };
    const readsRun = args.scope === "batch" && args.lotNo === undefined;
    const at = reader.placeOf(`exports.${key}`);
    if (readsRun && values.run === undefined) {
      const advice = "add run: {}, or give lotNo, or another scope";
      this.problems.add(at, `reads the rows of a run, but the task has no run: ${advice}`);
    }
    // The manifest fills in what the arguments lack.
    const seen = {
      ...args,
      ...(entryOf(checked.exports as Values, key) as Values),
      ...(readsRun && { lotNo: unknown }),
    };
    const found = problemsOf(dataExport, seen);
    reader.addOfRules(found.map(({ path, reason }) => ({ path: `exports.${key}.${path}`, reason })));
    const keys = [key, ...namesOf(was).filter((each) => !isUrn(each))];
    const tasks = [task, ...earlier.filter((each) => !isUrn(each))];
    const [name = "", ...names] = tasks.flatMap((ofTask) => keys.map((ofExport) => `${ofTask}-${ofExport}`));
    this.exports.push({ name, at, task });
    return { name, was: [...names, ...namesOf(was).filter(isUrn)], opts: optionsOf(opts), args, readsRun };
  }

  /** What `check` finds in a list, or in the file that contains it. Here, the problem gets the place in the manifest. */
  private problemsOfList({ args, names }: GivenList): Problem[] {
    const find = (at: string): Problem[] => {
      const problems: Problem[] = [];
      checkList(args, { ...names, at, before: undefined }, { ...this.places, problems });
      return problems;
    };
    const { [names.list]: list, [names.file]: file } = args;
    if (typeof file !== "string" || list !== undefined) {
      return find(names.at);
    }
    const key = JSON.stringify([file, names.file, names.urls]);
    const known = this.listFiles.get(key) ?? find("");
    this.listFiles.set(key, known);
    return known.map(({ path, reason }) => ({ path: names.at + path, reason }));
  }
}

function problemsOf({ rules }: Pick<AnyResource, "rules">, args: Values): Problem[] {
  const found: Problem[] = [];
  rules?.(args, found);
  return found;
}

function namesOf(list: unknown): string[] {
  return namesAt(list, () => undefined).map(({ name }) => name);
}

function namesAt<At>(list: unknown, placeOf: (index: number) => At): { name: string; at: At }[] {
  const items: unknown[] = Array.isArray(list) ? list : [];
  return items.flatMap((name, index) =>
    typeof name === "string" && name !== "" ? [{ name, at: placeOf(index) }] : [],
  );
}

function optionsOf(opts: unknown): ResourceOptions {
  return isPlainMap(opts) ? (opts as ResourceOptions) : {};
}

function isUrn(name: string): boolean {
  return name.startsWith("urn:pulumi:");
}
