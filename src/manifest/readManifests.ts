import { basename } from "node:path";
import type { ResourceOptions } from "./documentShapes";
import {
  collectionDocument,
  collectionNames,
  defaultsOfCollection,
  knownShapes,
  taskDocument,
  taskOfCollection,
} from "./documentShapes";
import { didYouMean } from "./likelyName";
import { findFiles, readText } from "./manifestFiles";
import type { ManifestProblem } from "./problems";
import { inWords, Problems } from "./problems";
import { ValueReader } from "./readValue";
import type { SourceFile } from "./sourceFile";
import type { MapNode, Node } from "./tree";
import { childPath, givenAt, isNull, merge, pathOf } from "./tree";
import type { Variables } from "./variables";
import { Added, parseYaml, TooLarge } from "./yamlTree";

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

export interface Manifests {
  /** In the order of the files and documents. Not complete if there are problems. */
  tasks: DeclaredTask[];
  problems: ManifestProblem[];
}

export interface ManifestSource {
  /** Files, globs and folders, relative to `folder`. */
  paths: readonly string[];
  /** The program's folder. */
  folder: string;
  variables: Variables;
}

/** Reads and checks manifests. Needs neither Pulumi nor the service, and does not read the files that the manifests name. */
export function readManifests({ paths, folder, variables }: ManifestSource): Manifests {
  const problems = new Problems();
  const reader = new ManifestReader(variables, problems);
  for (const file of findFiles(paths, folder, problems)) {
    const text = readText(file, folder, problems);
    if (text !== undefined) {
      reader.readFile(text);
    }
  }
  const tasks = reader.finish();
  return { tasks, problems: problems.all };
}

interface Found {
  name: string;
  /** Where the name is given. */
  at: { file: SourceFile; offset: number };
  node: MapNode;
  values: Record<string, unknown>;
}

class ManifestReader {
  private readonly found: Found[] = [];
  private names: ReadonlySet<string> = new Set();
  private readonly values: ValueReader;

  constructor(
    variables: Variables,
    private readonly problems: Problems,
  ) {
    this.values = new ValueReader(variables, problems, knownShapes);
  }

  readFile(file: SourceFile): void {
    const added = new Added();
    const before = this.problems.count;
    const documents = parseYaml(file, added, this.problems);
    if (documents.length === 0 && this.problems.count === before) {
      this.problems.addFile(file.name, "is empty: declare one task (from: …) or several (tasks: …)");
    }
    for (const document of documents) {
      try {
        this.readDocument(document, added);
      } catch (error) {
        if (!(error instanceof TooLarge)) {
          throw error;
        }
        this.problems.add(document, `is refused: ${error.message}`, "");
      }
    }
  }

  private readDocument(document: Node, added: Added): void {
    if (document.is !== "map") {
      const what = document.is === "list" ? "a list" : "a single value";
      this.problems.add(document, `must be a map: one task (from: …) or several (tasks: …); got ${what}`);
      return;
    }
    if (collectionNames.some((name) => document.entries.has(name))) {
      this.readCollection(document, added);
    } else if (!document.entries.has("from")) {
      // Other problems of the document would follow from this one.
      this.problems.add(document, "declares no task: one task needs from: …, several need tasks: …", "");
      this.values.fields({ ...taskDocument, from: { ...taskDocument.from, required: false } }, document);
    } else {
      const values = this.values.fields(taskDocument, document);
      const { name } = values;
      const given = givenAt(document, "name");
      const named = typeof name === "string" ? name : given === undefined ? nameOfFile(document.file) : undefined;
      if (named !== undefined) {
        this.found.push({ name: named, at: given ?? document, node: document, values });
      }
    }
  }

  private readCollection(document: MapNode, added: Added): void {
    this.values.withValidNames(collectionDocument, document);
    const given = this.mapAt(document, "defaults", false);
    const defaults = given && this.values.withValidNames(defaultsOfCollection, given);
    for (const [key, { keyOffset, value }] of this.mapAt(document, "tasks", true)?.entries ?? []) {
      if (value.is !== "map" && !isNull(value)) {
        this.problems.add(value, `must be a map; got ${value.is === "list" ? "a list" : "a single value"}`);
        continue;
      }
      const own = this.withoutName(value.is === "map" ? value : { ...value, ...noEntries, offset: keyOffset });
      const node = defaults === undefined ? own : merge(defaults, own, (entries) => added.add(entries));
      this.found.push({
        name: this.values.key(key, document, keyOffset),
        at: { file: value.file, offset: keyOffset },
        node,
        values: this.values.fields(taskOfCollection, node),
      });
    }
  }

  private withoutName(task: MapNode): MapNode {
    const name = task.entries.get("name");
    if (name === undefined) {
      return task;
    }
    const reason = "is not allowed here: the key is the name of the task";
    this.problems.addAt(task.file, name.keyOffset, childPath(pathOf(task), "name"), reason);
    return { ...task, entries: new Map([...task.entries].filter(([key]) => key !== "name")) };
  }

  private mapAt(document: MapNode, name: string, isRequired: boolean): MapNode | undefined {
    const value = givenAt(document, name);
    if (value?.is === "map" && (value.entries.size > 0 || !isRequired)) {
      return value;
    }
    if (value !== undefined || isRequired) {
      const got = value === undefined ? "nothing" : value.is === "map" ? "an empty map" : "something else";
      this.problems.add(
        value ?? document,
        `must be a map${isRequired ? " of tasks by their names" : ""}; got ${got}`,
        name,
      );
    }
    return undefined;
  }

  /** What only all documents together show. */
  finish(): DeclaredTask[] {
    this.names = new Set(this.found.map(({ name }) => name));
    const tasks = this.found.map((each) => this.declared(each));
    this.checkUnique();
    return tasks;
  }

  private declared({ name, node, values }: Found): DeclaredTask {
    const { run, exports = {}, name: _name, was, opts, ...args } = values;
    const earlier = namesOf(was);
    this.checkEarlierNames(node, earlier);
    const declaredRun = isRead(run) ? this.runOf(name, earlier, run, node) : undefined;
    const entries = isRead(exports) ? Object.entries(exports) : [];
    const declaredExports = entries.flatMap(([key, each]) =>
      isRead(each) ? [this.exportOf({ key, task: name, earlier, hasRun: run !== undefined }, each, node)] : [],
    );
    return { name, was: earlier, opts: optionsOf(opts), args, run: declaredRun, exports: declaredExports };
  }

  private runOf(task: string, earlier: readonly string[], values: Values, node: MapNode): DeclaredRun {
    const { rerunOn, was, opts, ...args } = values;
    const names = rerunOn === undefined ? undefined : namesOf(rerunOn);
    names?.forEach((name, index) => {
      if (!this.names.has(name)) {
        const reason = `names the task "${name}", which this manifest does not declare${didYouMean(name, [...this.names])}`;
        this.problems.add(closestNode(node, ["run", "rerunOn", index]), reason);
      }
    });
    const byDefault = args.triggers === undefined ? [task] : undefined;
    return {
      name: task,
      was: [...earlier.filter((each) => !isUrn(each)), ...namesOf(was)],
      opts: optionsOf(opts),
      args,
      rerunOn: names ?? byDefault,
    };
  }

  private exportOf(
    { key, task, earlier, hasRun }: { key: string; task: string; earlier: readonly string[]; hasRun: boolean },
    values: Values,
    node: MapNode,
  ): DeclaredExport {
    const { was, opts, ...given } = values;
    const args = { scope: "batch", ...given } as Values;
    const readsRun = args.scope === "batch" && args.lotNo === undefined;
    if (readsRun && !hasRun) {
      this.problems.add(
        closestNode(node, ["exports", key]),
        "reads the rows of a run, but the task has no run: add run: {}, or give lotNo, or another scope",
      );
    }
    const keys = [key, ...namesOf(was).filter((each) => !isUrn(each))];
    const tasks = [task, ...earlier.filter((each) => !isUrn(each))];
    const names = tasks.flatMap((ofTask) => keys.map((ofExport) => `${ofTask}-${ofExport}`));
    return {
      name: `${task}-${key}`,
      was: [...names.slice(1), ...namesOf(was).filter(isUrn)],
      opts: optionsOf(opts),
      args,
      readsRun,
    };
  }

  private checkEarlierNames(node: MapNode, earlier: readonly string[]): void {
    const index = earlier.findIndex((name) => this.names.has(name));
    if (index >= 0) {
      this.problems.add(
        closestNode(node, ["was", index]),
        `is the name of a task that exists: "${earlier[index]}". Only names that are no longer used can be given`,
      );
    }
  }

  private checkUnique(): void {
    const tasks = new Map<string, Found>();
    const exports = new Map<string, string>();
    for (const each of this.found) {
      const { name, at, node, values } = each;
      const other = tasks.get(name);
      if (other !== undefined) {
        const { line } = other.at.file.positionOf(other.at.offset);
        const reason = `is the second task with the name "${name}"; the first is ${other.at.file.name}:${line}. Give one of them another name`;
        this.problems.addAt(at.file, at.offset, "", reason);
        continue;
      }
      tasks.set(name, each);
      for (const key of Object.keys(isRead(values.exports) ? values.exports : {})) {
        const full = `${name}-${key}`;
        const owner = exports.get(full);
        if (owner !== undefined) {
          const reason = `has the same name "${full}" as an export of the task "${owner}". Give one of them another name`;
          this.problems.add(closestNode(node, ["exports", key]), reason);
        }
        exports.set(full, owner ?? name);
      }
    }
  }
}

type Values = Record<string, unknown>;

const noEntries = { is: "map", entries: new Map() } as const;

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

function nameOfFile({ name }: SourceFile): string {
  return basename(name).replace(/\.ya?ml$/i, "");
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

export { didYouMean, inWords };
