import { doubtsOfPath } from "../resources/export/checkPath";
import { dataExport } from "../resources/export/dataExport";
import { extractionTask, givenLists } from "../resources/extractionTask";
import type { AnyResource } from "../resources/index";
import type { FilePlaces } from "../resources/lists/allowedFile";
import { checkList } from "../resources/lists/checkList";
import { cloudRun } from "../resources/run/cloudRun";
import { describeSharedFile } from "../rows/destinations/fileIdentity";
import { fileBefore } from "../rows/outputPath";
import type { Problem } from "../values/kinds";
import { entryOf, isPlainMap, unknown } from "../values/plain";
import { isUrn } from "../values/urn";
import { didYouMean } from "../values/words";
import type { DocumentReader, Values } from "./documentReader";
import type { ResourceOptions } from "./documentShapes";
import type { Place, Problems } from "./problems";
import { problemOfPath } from "./propertyPaths";
import type { YAMLMap } from "./yaml";
import { isCollection } from "./yaml";

/** A task that a manifest declares. */
export interface DeclaredTask extends DeclaredResource {
  /** Where its name is: `name`, its key under `tasks`, or the document of a file that has its name. */
  at: Place;
  run?: DeclaredRun;
  exports: DeclaredExport[];
  /** Where its earlier names are. */
  earlierNames: NameAt[];
  /** Its own map, and the list of its earlier names, for a rename. */
  map?: Written | undefined;
  wasList?: Written | undefined;
}

export interface DeclaredRun extends DeclaredResource {
  /** Names of tasks. */
  rerunOn?: string[];
  /** Where these names are. */
  references: NameAt[];
}

export interface DeclaredExport extends DeclaredResource {
  /** Whether it reads the rows of the run of its task. */
  readsRun: boolean;
  /** Where it is. */
  at: Place;
}

export interface DeclaredResource {
  /** The name of the resource. */
  name: string;
  /** Its earlier names, and its earlier URNs. */
  was: string[];
  opts: ResourceOptions;
  /** The arguments of the resource, without those that the manifest fills in. */
  args: Values;
}

/** A name of a task, and where a manifest has it. */
export interface NameAt {
  name: string;
  at: Place;
}

/** The offsets of a map or a list, and whether it is in brackets. */
interface Written {
  from: number;
  to: number;
  isFlow: boolean;
}

/** A task as its document gives it. */
export interface GivenTask extends NameAt {
  values: Values;
  /** What the checks see of the values. */
  checked: Values;
  reader: DocumentReader;
  places: FilePlaces;
  /** The map of its own. */
  map: YAMLMap | undefined;
}

/** The task with its run and its exports. Reports what the checks of the resources find without the service. */
export function declaredTask(task: GivenTask): DeclaredTask {
  const { name, at, values, checked, reader, places, map } = task;
  const { run, exports, name: _name, was, opts, ...args } = values;
  reader.report(problemsOf(extractionTask, checked));
  // The engine may keep the old value of what it ignores, so a file that is gone is no problem then.
  if (optionsOf(opts).ignoreChanges === undefined) {
    const problems: Problem[] = [];
    for (const list of givenLists(checked)) {
      const warn = (reason: string): void => reader.report([{ path: list.at.slice(0, -1), reason }], "addDoubt");
      checkList(list, undefined, { ...places, problems, warn });
    }
    reader.report(problems);
  }
  const earlierNames = earlierNamesAt(was, "was", reader);
  const earlier = earlierNames.map((each) => each.name);
  const entries = isPlainMap(exports) ? Object.entries(exports) : [];
  return {
    name,
    at,
    earlierNames,
    was: earlier,
    opts: checkedOptions(opts, "opts", extractionTask, reader),
    args,
    run: isPlainMap(run) ? runOf(run, task, earlier) : undefined,
    exports: entries.flatMap(([key, each]) => (isPlainMap(each) ? [exportOf(key, each, task, earlier)] : [])),
    map: writtenAt(map),
    wasList: writtenAt(map?.get("was", true)),
  };
}

function runOf({ rerunOn, was, opts, ...args }: Values, { name, reader }: GivenTask, earlier: string[]): DeclaredRun {
  const references = namesAt(rerunOn, "run.rerunOn", reader);
  const byDefault = args.triggers === undefined ? [name] : undefined;
  return {
    name,
    was: [
      ...earlier.filter((each) => !isUrn(each)),
      ...earlierNamesAt(was, "run.was", reader).map((each) => each.name),
    ],
    opts: checkedOptions(opts, "run.opts", cloudRun, reader),
    args,
    rerunOn: rerunOn === undefined ? byDefault : references.map((each) => each.name),
    references,
  };
}

function exportOf(key: string, { was, opts, ...given }: Values, task: GivenTask, earlier: string[]): DeclaredExport {
  const args: Values = { scope: "batch", ...given };
  const readsRun = args.scope === "batch" && args.lotNo === undefined;
  const path = `exports.${key}`;
  if (readsRun && task.values.run === undefined) {
    const advice = "add run: {}, or give lotNo, or another scope";
    task.reader.report([{ path, reason: `reads the rows of a run, but the task has no run: ${advice}` }]);
  }
  // The manifest fills in what the arguments lack.
  const checked = entryOf(task.checked.exports as Record<string, Values>, key);
  const found = problemsOf(dataExport, { scope: "batch", ...checked, ...(readsRun && { lotNo: unknown }) });
  const within = (each: Problem): Problem => ({ ...each, path: `${path}.${each.path}` });
  task.reader.report(found.map(within));
  task.reader.report(doubtsOfPath(checked ?? {}).map(within), "addDoubt");
  const before = earlierNamesAt(was, `${path}.was`, task.reader).map((each) => each.name);
  const keys = [key, ...before.filter((each) => !isUrn(each))];
  const tasks = [task.name, ...earlier.filter((each) => !isUrn(each))];
  const [name = "", ...names] = tasks.flatMap((ofTask) => keys.map((ofExport) => `${ofTask}-${ofExport}`));
  const at = task.reader.placeOf(path);
  const options = checkedOptions(opts, `${path}.opts`, dataExport, task.reader);
  return { name, was: [...names, ...before.filter(isUrn)], opts: options, args, readsRun, at };
}

/** Checks what tasks say of each other. */
export function checkNames(tasks: readonly DeclaredTask[], folder: string, problems: Problems): void {
  checkFiles(tasks, folder, problems);
  const places = new Map<string, Place>();
  const placesOfExports = new Map<string, Place>();
  for (const task of tasks) {
    if (isFirst("task", task, places, problems)) {
      // Those of "a" and "a-b" can be equal: "a-b-c".
      for (const each of task.exports) {
        isFirst("export", each, placesOfExports, problems);
      }
    }
  }
  const ownerOf = new Map<string, DeclaredTask>();
  for (const task of tasks) {
    for (const { name, at } of task.earlierNames) {
      if ((ownerOf.get(name) ?? task) !== task) {
        const reason = `is an earlier name "${name}" of two tasks, and the engine would give the old one to either of them. Keep it in one`;
        problems.add(at, reason);
      }
      ownerOf.set(name, task);
      if (places.has(name)) {
        const reason = `is the name of a task that exists: "${name}". Only names that are no longer used can be given`;
        problems.add(at, reason);
      }
    }
    for (const { name, at } of task.run?.references ?? []) {
      if (!places.has(name)) {
        const likely = didYouMean(name, [...places.keys()]);
        problems.add(at, `names the task "${name}", which this manifest does not declare${likely}`);
      }
    }
  }
}

/** Refuses a second export to one file. */
function checkFiles(tasks: readonly DeclaredTask[], folder: string, problems: Problems): void {
  const exports = new Map<string, string>();
  for (const task of tasks) {
    for (const { name, at, args, readsRun } of task.exports) {
      const found = fileBefore(folder, args.path, readsRun ? { of: task.name } : args.lotNo);
      const key = JSON.stringify(found);
      const other = exports.get(key);
      if (found !== undefined && other !== undefined) {
        problems.add(at, `path ${describeSharedFile(found.file, `export "${other}"`)}`);
      }
      exports.set(key, other ?? name);
    }
  }
}

/** Whether no other one before has this name. Otherwise the second one is a problem. */
function isFirst(what: string, { name, at }: NameAt, places: Map<string, Place>, problems: Problems): boolean {
  const first = places.get(name);
  if (first !== undefined) {
    const place = `${first.file.name}:${first.file.lines.linePos(first.offset).line}`;
    const reason = `is the second ${what} with the name "${name}"; the first is ${place}. Give one of them another name`;
    problems.add(at, reason);
  }
  places.set(name, first ?? at);
  return first === undefined;
}

function problemsOf({ rules }: Pick<AnyResource, "rules">, args: Values): Problem[] {
  const found: Problem[] = [];
  rules?.(args, found);
  return found;
}

/** Reports what the engine would refuse without a place. */
function earlierNamesAt(list: unknown, path: string, reader: DocumentReader): NameAt[] {
  const names = namesAt(list, path, reader);
  const isHalf = ({ name }: NameAt): boolean => {
    const [stack, project, type, rest] = name.split("::");
    return isUrn(name) && (stack === "urn:pulumi:" || !project || !type || !rest);
  };
  const reason = "is not a whole URN: urn:pulumi:STACK::PROJECT::TYPE::NAME";
  reader.report(names.flatMap((each, index) => (isHalf(each) ? [{ path: `${path}[${index}]`, reason }] : [])));
  return names;
}

function namesAt(list: unknown, path: string, reader: DocumentReader): NameAt[] {
  const items: unknown[] = Array.isArray(list) ? list : [];
  return items.flatMap((name, index) =>
    typeof name === "string" ? [{ name, at: reader.placeOf(`${path}[${index}]`) }] : [],
  );
}

function writtenAt(node: unknown): Written | undefined {
  return isCollection(node) && node.range
    ? { from: node.range[0], to: node.range[1], isFlow: node.flow === true }
    : undefined;
}

/** Reports the paths that the engine would ignore. */
function checkedOptions(
  given: unknown,
  path: string,
  { args }: Pick<AnyResource, "args">,
  reader: DocumentReader,
): ResourceOptions {
  const opts = optionsOf(given);
  const paths: unknown[] = Array.isArray(opts.ignoreChanges) ? opts.ignoreChanges : [];
  paths.forEach((each, index) => {
    const reason = typeof each === "string" && each !== "" ? problemOfPath(each, args) : undefined;
    reason && reader.report([{ path: `${path}.ignoreChanges[${index}]`, reason }]);
  });
  return opts;
}

function optionsOf(opts: unknown): ResourceOptions {
  return isPlainMap(opts) ? (opts as ResourceOptions) : {};
}
