import type { Problem } from "../resources/args";
import { dataExport } from "../resources/export/dataExport";
import { extractionTask, givenLists } from "../resources/extractionTask";
import type { AnyResource } from "../resources/index";
import { didYouMean } from "../resources/likelyName";
import type { GivenList } from "../resources/urls/checkList";
import { checkList } from "../resources/urls/checkList";
import { unknown } from "../resources/values";
import type { ResourceOptions } from "./documentShapes";
import type { Problems } from "./problems";
import type { SourceFile } from "./sourceFile";
import type { MapNode, Node } from "./tree";
import { closestTo, pathOf } from "./tree";

/** A task that a manifest declares. */
export interface DeclaredTask extends Declared {
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
  at: Pick<Spot, "file" | "offset">;
  node: MapNode;
  /** The values of the document. */
  values: Record<string, unknown>;
}

/** A place in a file. Unlike a node, it does not keep the content of the file in memory. */
interface Spot {
  file: SourceFile;
  offset: number;
  path: string;
}

interface NameAt {
  name: string;
  at: Spot;
}

/** The tasks of all documents, and what only all of them together show. */
export class DeclaredTasks {
  private readonly tasks: DeclaredTask[] = [];
  private readonly names: NameAt[] = [];
  private readonly earlierNames: NameAt[] = [];
  private readonly rerunOn: NameAt[] = [];
  private readonly exports: (NameAt & { task: string })[] = [];

  private readonly contents: ListContents;

  /**
   * @param folder the program's folder
   * @param isLater whether a value is known only later
   */
  constructor(
    private readonly problems: Problems,
    folder: string,
    isLater: (value: unknown) => boolean,
  ) {
    this.contents = new ListContents(folder, isLater);
  }

  add({ name, at, node, values }: GivenTask): void {
    const { run, exports, name: _name, was, opts, ...args } = values;
    const earlier = namesOf(was);
    this.names.push({ name, at: { ...at, path: "" } });
    earlier.forEach((each, index) => {
      this.earlierNames.push({ name: each, at: spotOf(node, ["was", index]) });
    });
    const given: Given = {
      task: name,
      earlier: earlier.filter((each) => !isUrn(each)),
      node,
      hasRun: run !== undefined,
    };
    this.checkRules(extractionTask, args, node);
    // The engine may keep the old value of what it ignores, so a file that is gone is no problem then.
    if (optionsOf(opts).ignoreChanges === undefined) {
      this.addProblems(this.contents.problemsOf(args), node);
    }
    const entries = isRead(exports) ? Object.entries(exports) : [];
    this.tasks.push({
      name,
      was: earlier,
      opts: optionsOf(opts),
      args,
      run: isRead(run) ? this.runOf(run, given) : undefined,
      exports: entries.flatMap(([key, each]) => (isRead(each) ? [this.exportOf(key, each, given)] : [])),
    });
  }

  /** All tasks, after the checks of what they say of each other. */
  finish(): DeclaredTask[] {
    const names = new Map<string, Spot>();
    for (const { name, at } of this.names) {
      const first = names.get(name);
      if (first !== undefined) {
        const place = `${first.file.name}:${first.file.positionOf(first.offset).line}`;
        this.refuse(
          at,
          `is the second task with the name "${name}"; the first is ${place}. Give one of them another name`,
        );
      }
      names.set(name, first ?? at);
    }
    for (const { name, at } of this.earlierNames) {
      if (names.has(name)) {
        this.refuse(
          at,
          `is the name of a task that exists: "${name}". Only names that are no longer used can be given`,
        );
      }
    }
    for (const { name, at } of this.rerunOn) {
      if (!names.has(name)) {
        const likely = didYouMean(name, [...names.keys()]);
        this.refuse(at, `names the task "${name}", which this manifest does not declare${likely}`);
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
        this.refuse(
          at,
          `has the same name "${name}" as an export of the task "${owner}". Give one of them another name`,
        );
      }
      owners.set(name, owner ?? task);
    }
  }

  private runOf({ rerunOn, was, opts, ...args }: Values, { task, earlier, node }: Given): DeclaredRun {
    const names = rerunOn === undefined ? undefined : namesOf(rerunOn);
    names?.forEach((name, index) => {
      this.rerunOn.push({ name, at: spotOf(node, ["run", "rerunOn", index]) });
    });
    const byDefault = args.triggers === undefined ? [task] : undefined;
    return {
      name: task,
      was: [...earlier, ...namesOf(was)],
      opts: optionsOf(opts),
      args,
      rerunOn: names ?? byDefault,
    };
  }

  private exportOf(
    key: string,
    { was, opts, ...given }: Values,
    { task, earlier, node, hasRun }: Given,
  ): DeclaredExport {
    const args: Values = { scope: "batch", ...given };
    const readsRun = args.scope === "batch" && args.lotNo === undefined;
    const at = spotOf(node, ["exports", key]);
    if (readsRun && !hasRun) {
      this.refuse(at, "reads the rows of a run, but the task has no run: add run: {}, or give lotNo, or another scope");
    }
    // The manifest fills in what the arguments lack.
    this.checkRules(dataExport, readsRun ? { ...args, lotNo: unknown } : args, closestNode(node, ["exports", key]));
    const keys = [key, ...namesOf(was).filter((each) => !isUrn(each))];
    const names = [task, ...earlier].flatMap((ofTask) => keys.map((ofExport) => `${ofTask}-${ofExport}`));
    const name = `${task}-${key}`;
    this.exports.push({ name, at, task });
    return {
      name,
      was: [...names.slice(1), ...namesOf(was).filter(isUrn)],
      opts: optionsOf(opts),
      args,
      readsRun,
    };
  }

  private checkRules({ rules }: Pick<AnyResource, "rules">, args: Values, node: Node): void {
    const found: Problem[] = [];
    rules?.(args, found);
    this.addProblems(found, node);
  }

  private addProblems(found: readonly Problem[], node: Node): void {
    // A misspelled name is most often the one that is missing.
    const places = found.map((problem) => ({ ...problem, closest: closestTo(node, problem.path) }));
    const added = places.filter(({ closest }) => !this.problems.hasWithin(closest.node));
    for (const { path, reason, closest } of added) {
      const whole = [pathOf(node), path].filter((each) => each !== "").join(".");
      this.problems.add(closest.node, reason, whole, closest.rest);
    }
  }

  private refuse({ file, offset, path }: Spot, reason: string): void {
    this.problems.addAt(file, offset, path, reason);
  }
}

/** What `check` finds in lists and in the files that the arguments name. Here, the problem gets the position in the manifest. */
class ListContents {
  /** Many tasks may name one file. */
  private readonly files = new Map<string, Problem[]>();

  constructor(
    private readonly folder: string,
    private readonly isLater: (value: unknown) => boolean,
  ) {}

  problemsOf(args: Values): Problem[] {
    return givenLists(args).flatMap(({ args: given, names: { at, ...names } }) => {
      const { [names.list]: list, [names.file]: file } = given;
      const hasLater = Array.isArray(list) ? list.some(this.isLater) : this.isLater(list);
      if ((list ?? undefined) !== undefined) {
        return file === undefined && !hasLater ? this.check({ [names.list]: list }, { ...names, at }) : [];
      }
      if (typeof file !== "string" || this.isLater(file)) {
        return [];
      }
      const key = JSON.stringify([file, names.urls]);
      const known = this.files.get(key) ?? this.check({ [names.file]: file }, { ...names, at: "" });
      this.files.set(key, known);
      return known.map((problem) => ({ ...problem, path: at + problem.path }));
    });
  }

  private check(args: GivenList["args"], names: GivenList["names"]): Problem[] {
    const problems: Problem[] = [];
    checkList(args, { ...names, before: undefined }, { folder: this.folder, problems });
    return problems;
  }
}

/** What a run and an export take from their task. */
interface Given {
  task: string;
  /** Earlier names of the task, without URNs. */
  earlier: readonly string[];
  node: MapNode;
  hasRun: boolean;
}

type Values = Record<string, unknown>;

function isRead(value: unknown): value is Values {
  return typeof value === "object" && value !== null;
}

function namesOf(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((each) => typeof each === "string" && each !== "") : [];
}

function optionsOf(opts: unknown): ResourceOptions {
  return isRead(opts) ? (opts as ResourceOptions) : {};
}

function isUrn(name: string): boolean {
  return name.startsWith("urn:pulumi:");
}

function spotOf(node: Node, keys: readonly (string | number)[]): Spot {
  const closest = closestNode(node, keys);
  return { file: closest.file, offset: closest.offset, path: pathOf(closest) };
}

/** The value at these keys, or the closest value above it. */
function closestNode(node: Node, [key, ...rest]: readonly (string | number)[]): Node {
  const inner =
    key === undefined
      ? undefined
      : node.is === "map"
        ? node.entries.get(String(key))?.value
        : node.is === "list"
          ? node.items[Number(key)]
          : undefined;
  return inner === undefined ? node : closestNode(inner, rest);
}
