import { basename } from "node:path";
import { didYouMean } from "../resources/likelyName";
import type { Declared, DeclaredTask } from "./declaredTasks";
import { DeclaredTasks } from "./declaredTasks";
import {
  collectionDocument,
  collectionNames,
  defaultsOfCollection,
  knownShapes,
  taskDocument,
  taskOfCollection,
} from "./documentShapes";
import { findFiles, readText } from "./manifestFiles";
import type { ManifestProblem } from "./problems";
import { inWords, Problems } from "./problems";
import { ValueReader } from "./readValue";
import type { SourceFile } from "./sourceFile";
import type { MapNode, Node } from "./tree";
import { childPath, givenAt, isNull, merge, pathOf } from "./tree";
import type { Variables } from "./variables";
import { Added, parseYaml, TooLarge } from "./yamlTree";

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

/** Reads and checks manifests. Reads the files with lists that the manifests name, too. Needs neither Pulumi nor the service. */
export function readManifests(source: ManifestSource): Manifests {
  const reading = readInSteps(source);
  for (let step = reading.next(); ; step = reading.next()) {
    if (step.done === true) {
      return step.value;
    }
  }
}

/** Does the same in one step for each file. A caller that listens for Ctrl-C can do so in between. */
export function* readInSteps({ paths, folder, variables }: ManifestSource): Generator<void, Manifests, void> {
  const problems = new Problems();
  const reader = new ManifestReader(variables, problems, folder);
  for (const file of findFiles(paths, folder, problems)) {
    const text = readText(file, folder, problems);
    if (text !== undefined) {
      reader.readFile(text);
    }
    yield;
  }
  const tasks = reader.finish();
  return { tasks, problems: problems.all };
}

class ManifestReader {
  private readonly tasks: DeclaredTasks;
  private readonly values: ValueReader;

  constructor(
    variables: Variables,
    private readonly problems: Problems,
    folder: string,
  ) {
    this.tasks = new DeclaredTasks(problems, folder, (value) => variables.isLater(value));
    this.values = new ValueReader(variables, problems, knownShapes);
  }

  readFile(file: SourceFile): void {
    this.values.forget();
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
        this.tasks.add({ name: named, at: given ?? document, node: document, values });
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
      this.tasks.add({
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

  finish(): DeclaredTask[] {
    return this.tasks.finish();
  }
}

const noEntries = { is: "map", entries: new Map() } as const;

function nameOfFile({ name }: SourceFile): string {
  return basename(name).replace(/\.ya?ml$/i, "");
}

export type { Declared, DeclaredTask };
export { didYouMean, inWords };
