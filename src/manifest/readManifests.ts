import { basename } from "node:path";
import type { FilePlaces } from "../resources/lists/allowedFile";
import { anything, describeValue } from "../values/kinds";
import { isPlainMap, unknown } from "../values/plain";
import type { DeclaredResource, DeclaredTask, NameAt } from "./declaredTasks";
import { checkNames, declaredTask } from "./declaredTasks";
import type { Given, Values } from "./documentReader";
import { DocumentReader, isNothing, pathWithin, TooLarge } from "./documentReader";
import { collectionForm, taskDocument, taskOfCollection } from "./documentShapes";
import { findFiles, readText } from "./manifestFiles";
import type { ManifestFile, ManifestProblem } from "./problems";
import { describeProblem, describeProblems, Problems } from "./problems";
import { parseYaml } from "./syntax/parseYaml";
import type { Variables } from "./variables";
import type { Document } from "./yaml";
import { isMap, isScalar, YAMLMap } from "./yaml";

export interface Manifests {
  /** In the order of the files and documents. Not complete if there are problems. */
  tasks: DeclaredTask[];
  problems: ManifestProblem[];
  /** What is allowed, and hardly what its author means. */
  warnings: ManifestProblem[];
  /** What the checks of the resources warn of. A preview shows it without the manifest. */
  doubts: ManifestProblem[];
}

export interface ManifestSource extends FilePlaces {
  /** Files, globs and folders, relative to `folder`. */
  paths: readonly string[];
  variables: Variables;
  /** Whether the state can have the same values, which only the check in the provider knows. */
  mayBeStored?: boolean;
  /** What files are to contain and to be called, by their present names. To check a change before it is made. */
  changed?: ReadonlyMap<string, ManifestFile>;
}

/**
 * Reads and checks manifests. Reads the files with lists that the manifests name, too. Needs neither Pulumi nor the
 * service.
 */
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
  mayBeStored,
  ...places
}: ManifestSource): Generator<void, Manifests> {
  const problems = new Problems(mayBeStored);
  const tasks: DeclaredTask[] = [];
  for (const path of yield* findFiles(paths, places.folder, problems)) {
    const given = readText(path, places, problems);
    if (given !== undefined) {
      tasks.push(...readFile(changed?.get(given.name) ?? given, { variables, problems, places }));
    }
    yield;
  }
  checkNames(tasks, places.folder, problems);
  return { tasks, problems: problems.all, warnings: problems.warnings, doubts: problems.doubtful };
}

interface Reading {
  variables: Variables;
  problems: Problems;
  places: FilePlaces;
}

function readFile(file: ManifestFile, reading: Reading): DeclaredTask[] {
  const { problems } = reading;
  try {
    return parseYaml(file, problems).flatMap((document) => [...tasksIn(file, document, reading)]);
  } catch (error) {
    if (!(error instanceof TooLarge)) {
      throw error;
    }
    problems.add({ file, offset: error.offset, path: "" }, `is refused: ${error.message}`);
    return [];
  }
}

function* tasksIn(
  file: ManifestFile,
  document: Document,
  { variables, problems, places }: Reading,
): Generator<DeclaredTask> {
  const reader = new DocumentReader(file, document, variables, problems);
  const { contents } = document;
  const whole: Given = { node: contents, offset: 0, root: "" };
  if (!isMap(contents)) {
    const got = describeValue(reader.read(anything, whole));
    reader.report([{ path: "", reason: `must be a map: one task (from: …) or several (tasks: …); got ${got}` }]);
    return;
  }
  // They hold anchors, and nothing else is read of them. The reader knows the anchors.
  contents.items = contents.items.filter(({ key }) => !(isScalar(key) && String(key.value).startsWith("x-")));
  if (!Object.keys(collectionForm).some((name) => contents.has(name))) {
    const values = reader.read({ is: "object", fields: taskDocument }, whole) as Values;
    if (!("from" in values)) {
      reader.report([{ path: "", reason: "must have from (for one task) or tasks (for several)" }]);
    }
    const checked = reader.check(taskDocument, { from: unknown, ...values }) as Values;
    const ofFile = basename(file.name).replace(/\.ya?ml$/i, "");
    const { name: given = ofFile } = values;
    // A check without a program knows no variable: the task is called as the file has it.
    const name = typeof given === "string" ? given : String(contents.get("name") ?? ofFile);
    const at = reader.placeOf(values.name === undefined ? "" : "name");
    yield declaredTask({ name, at, values, checked, reader, places, map: contents });
    return;
  }
  const { tasks, defaults } = Object.fromEntries(reader.readForm(collectionForm, contents, whole));
  const below = defaults && { ...defaults, root: "defaults" };
  const map = tasks && reader.resolved(tasks.node);
  for (const [name, { node, offset }] of isMap(map) ? reader.entriesOf(map, whole, "tasks") : []) {
    const at = { file, offset, path: pathWithin("tasks", name) };
    const own = reader.resolved(node);
    const isEmpty = isNothing(own);
    const given = { node: isEmpty ? new YAMLMap() : node, offset: own?.range?.[0] ?? offset, root: at.path };
    const values = reader.read({ is: "object", fields: taskOfCollection }, { ...given, below });
    const checked = reader.check(taskOfCollection, values);
    if (isPlainMap(values) && isPlainMap(checked)) {
      yield declaredTask({ name, at, values, checked, reader, places, map: isMap(node) ? node : undefined });
    }
  }
}

export type { DeclaredResource, DeclaredTask, NameAt };
export { describeProblem, describeProblems };
