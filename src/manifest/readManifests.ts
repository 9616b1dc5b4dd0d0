import { basename } from "node:path";
import type { ArgSpecs } from "../resources/args";
import { didYouMean } from "../resources/likelyName";
import type { FilePlaces } from "../resources/lists/allowedFile";
import type { Declared, DeclaredTask, GivenTask, NameAt } from "./declaredTasks";
import { DeclaredTasks } from "./declaredTasks";
import {
  collectionDocument,
  collectionNames,
  defaultsOfCollection,
  taskDocument,
  taskOfCollection,
} from "./documentShapes";
import { findFiles, readText } from "./manifestFiles";
import type { ManifestFile, MapNode, Node } from "./nodes";
import { givenAt, isNull, merge, placeOfKey } from "./nodes";
import { Added, parseYaml, TooLarge } from "./parseYaml";
import type { ManifestProblem } from "./problems";
import { describeProblem, Problems } from "./problems";
import { entriesOf, ValueReader } from "./valueReader";
import type { Variables } from "./variables";

export interface Manifests {
  /** In the order of the files and documents. Not complete if there are problems. */
  tasks: DeclaredTask[];
  /** Where tasks name other tasks. */
  references: readonly NameAt[];
  problems: ManifestProblem[];
}

export interface ManifestSource extends FilePlaces {
  /** Files, globs and folders, relative to `folder`. */
  paths: readonly string[];
  variables: Variables;
  /** What files are to contain and to be called, by their present names. To check a change before it is made. */
  changed?: ReadonlyMap<string, ManifestFile>;
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

/** Does the same in small steps. A caller that listens for Ctrl-C can do so in between. */
export function* readInSteps({
  paths,
  variables,
  changed,
  ...places
}: ManifestSource): Generator<void, Manifests, void> {
  const problems = new Problems();
  const reader = new ManifestReader(variables, problems, places);
  for (const path of yield* findFiles(paths, places.folder, problems)) {
    const file = readText(path, places, problems);
    if (file !== undefined) {
      reader.readFile(changed?.get(file.name) ?? file);
    }
    yield;
  }
  const tasks = reader.finish();
  return { tasks, references: reader.references, problems: problems.all };
}

class ManifestReader {
  private readonly tasks: DeclaredTasks;

  constructor(
    private readonly variables: Variables,
    private readonly problems: Problems,
    places: FilePlaces,
  ) {
    this.tasks = new DeclaredTasks(problems, places);
  }

  finish(): DeclaredTask[] {
    return this.tasks.finish();
  }

  get references(): readonly NameAt[] {
    return this.tasks.rerunOn;
  }

  readFile(file: ManifestFile): void {
    const added = new Added();
    const before = this.problems.count;
    try {
      const documents = parseYaml(file, added, this.problems);
      if (documents.length === 0 && this.problems.count === before) {
        this.problems.addFile(file.name, "is empty: declare one task (from: …) or several (tasks: …)");
      }
      for (const document of documents) {
        this.readDocument(document, added);
      }
    } catch (error) {
      if (!(error instanceof TooLarge)) {
        throw error;
      }
      this.problems.add({ file, offset: 0, path: "" }, `is refused: ${error.message}`);
    }
  }

  private readDocument(document: Node, added: Added): void {
    if (document.is !== "map") {
      const what = document.is === "list" ? "a list" : "a single value";
      this.problems.add(document, `must be a map: one task (from: …) or several (tasks: …); got ${what}`);
    } else if (collectionNames.some((name) => document.entries.has(name))) {
      this.readCollection(document, added);
    } else if (document.entries.has("from")) {
      const { reader, values, checked } = this.readTask(taskDocument, document);
      const name = givenAt(document, "name") === undefined ? nameOfFile(document.file) : values.name;
      if (typeof name === "string") {
        this.tasks.add({ name, at: reader.placeOf("name"), reader, values, checked });
      }
    } else {
      // Other problems of the document would follow from this one.
      this.problems.add(document, "declares no task: one task needs from: …, several need tasks: …");
      this.readTask({ ...taskDocument, from: { ...taskDocument.from, required: false } }, document);
    }
  }

  private readTask(specs: ArgSpecs, node: MapNode): Pick<GivenTask, "reader" | "values" | "checked"> {
    const reader = new ValueReader(this.variables, this.problems);
    return { reader, ...reader.read(specs, node) };
  }

  private readCollection(document: MapNode, added: Added): void {
    entriesOf(collectionDocument, document, this.problems);
    const given = this.mapAt(document, "defaults", false);
    const defaults = given && { ...given, entries: new Map(entriesOf(defaultsOfCollection, given, this.problems)) };
    for (const [key, { keyOffset, value }] of this.mapAt(document, "tasks", true)?.entries ?? []) {
      if (value.is !== "map" && !isNull(value)) {
        this.problems.add(value, `must be a map; got ${value.is === "list" ? "a list" : "a single value"}`);
        continue;
      }
      const at = { ...value, offset: keyOffset };
      const own: MapNode = value.is === "map" ? this.withoutName(value) : { ...at, is: "map", entries: new Map() };
      if (given !== undefined) {
        added.add(given);
      }
      const task = this.readTask(taskOfCollection, defaults === undefined ? own : merge(defaults, own));
      this.tasks.add({ name: task.reader.key(key, at), at, ...task });
    }
  }

  private withoutName(task: MapNode): MapNode {
    const name = task.entries.get("name");
    if (name === undefined) {
      return task;
    }
    const reason = "is not allowed here: the key is the name of the task";
    this.problems.add(placeOfKey(task, "name", name.keyOffset), reason);
    return { ...task, entries: new Map([...task.entries].filter(([key]) => key !== "name")) };
  }

  private mapAt(document: MapNode, name: string, isRequired: boolean): MapNode | undefined {
    const value = givenAt(document, name);
    if (value?.is === "map" && (value.entries.size > 0 || !isRequired)) {
      return value;
    }
    if (value !== undefined || isRequired) {
      const got = value === undefined ? "nothing" : value.is === "map" ? "an empty map" : "something else";
      const reason = `must be a map${isRequired ? " of tasks by their names" : ""}; got ${got}`;
      this.problems.add({ ...(value ?? document), path: name }, reason);
    }
    return undefined;
  }
}

function nameOfFile({ name }: ManifestFile): string {
  return basename(name).replace(/\.ya?ml$/i, "");
}

export type { Declared, DeclaredTask };
export { describeProblem, didYouMean };
