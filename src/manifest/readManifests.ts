import { basename } from "node:path";
import type { ArgSpecs } from "../resources/args";
import type { FilePlaces } from "../resources/lists/allowedFile";
import { describeValue, isPlainMap } from "../resources/values";
import type { Declared, DeclaredTask, NameAt } from "./declaredTasks";
import { DeclaredTasks } from "./declaredTasks";
import type { Values } from "./documentReader";
import { DocumentReader, merge, TooLarge } from "./documentReader";
import { collectionDocument, collectionForm, taskDocument, taskOfCollection } from "./documentShapes";
import { findFiles, readText } from "./manifestFiles";
import { parseYaml } from "./parseYaml";
import type { ManifestFile, ManifestProblem, Place } from "./problems";
import { describeProblem, Problems } from "./problems";
import type { Variables } from "./variables";
import type { Document } from "./yaml";
import { isMap } from "./yaml";

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
  const tasks = new DeclaredTasks(problems, places);
  for (const path of yield* findFiles(paths, places.folder, problems)) {
    const given = readText(path, places, problems);
    if (given !== undefined) {
      readFile(changed?.get(given.name) ?? given, { variables, problems, tasks });
    }
    yield;
  }
  tasks.checkNames();
  return { tasks: tasks.all, references: tasks.rerunOn, problems: problems.all };
}

interface Reading {
  variables: Variables;
  problems: Problems;
  tasks: DeclaredTasks;
}

function readFile(file: ManifestFile, reading: Reading): void {
  const { problems } = reading;
  const before = problems.count;
  try {
    const documents = parseYaml(file, problems);
    if (documents.length === 0 && problems.count === before) {
      problems.addFile(file.name, "is empty: declare one task (from: …) or several (tasks: …)");
    }
    for (const document of documents) {
      readDocument(file, document, reading);
    }
  } catch (error) {
    if (!(error instanceof TooLarge)) {
      throw error;
    }
    problems.add({ file, offset: 0, path: "" }, `is refused: ${error.message}`);
  }
}

function readDocument(file: ManifestFile, document: Document, { variables, problems, tasks }: Reading): void {
  const { contents } = document;
  const reader = new DocumentReader(file, document, variables, problems);
  if (!isMap(contents)) {
    const place = { file, offset: contents?.range?.[0] ?? 0, path: "" };
    const got = describeValue(reader.read({ is: "any" }, contents, ""));
    problems.add(place, `must be a map: one task (from: …) or several (tasks: …); got ${got}`);
    return;
  }
  /** Adds the task whose values these parts of the document have. */
  const add = (name: unknown, at: Place, specs: ArgSpecs, given: Values, parts: readonly string[]): void => {
    const { values, checked } = reader.check(specs, given, parts);
    if (typeof name === "string") {
      tasks.add({ name, at, values, checked, placeOf: (path) => reader.placeIn(parts, path) });
    }
  };
  if (!Object.keys(collectionForm).some((name) => contents.has(name))) {
    const values = reader.read({ is: "object", fields: taskDocument }, contents, "") as Values;
    const ofFile = basename(file.name).replace(/\.ya?ml$/i, "");
    const path = (values.name ?? undefined) === undefined ? "" : "name";
    add(values.name ?? ofFile, reader.placeIn([""], path), taskDocument, values, [""]);
    return;
  }
  const collection = reader.read({ is: "object", fields: collectionDocument }, contents, "") as Values;
  const { defaults, tasks: given } = collection;
  const entries = isPlainMap(given) ? Object.entries(given).map(([name, own]) => [name, own ?? {}] as const) : [];
  reader.check(collectionForm, { ...collection, tasks: isPlainMap(given) ? Object.fromEntries(entries) : given }, [""]);
  for (const [name, own] of entries.filter(([, each]) => isPlainMap(each))) {
    reader.countAgain("defaults");
    const parts = [`tasks.${name}`, "defaults"];
    const values = merge(isPlainMap(defaults) ? defaults : {}, own) as Values;
    add(name, reader.placeIn(parts, ""), taskOfCollection, values, parts);
  }
}

export type { Declared, DeclaredTask };
export { describeProblem };
