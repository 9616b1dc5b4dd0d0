import type { Alias, ComponentResourceOptions, CustomResourceOptions, Input } from "@pulumi/pulumi";
import { ComponentResource, concat, Output, RunError } from "@pulumi/pulumi";
import { CloudRun, DataExport, ExtractionTask } from "../program/classes";
import { programSettings } from "../program/programConfig";
import { isUrn } from "../resources/urn";
import { isPlainMap } from "../resources/values";
import { didYouMean } from "../values/likelyName";
import type { Declared, DeclaredTask } from "./readManifests";
import type { Variables } from "./variables";

/** Arguments of {@link Manifest}. */
export interface ManifestArgs {
  /**
   * A file, a glob or a folder with manifests, or a list of them, relative to the program's folder. A folder is read with all folders in it: every file that
   * ends in `.yaml` or `.yml`.
   */
  path: string | string[];
  /**
   * Values for `${name}` in the manifests, by their names. A value may be an output and may be secret. It stays so. No other variables exist: nothing reads the
   * environment.
   * @default no variables
   */
  variables?: Record<string, Input<unknown>>;
}

/**
 * Tasks that are declared in YAML. Each task of the manifests is an {@link ExtractionTask}, with a {@link CloudRun} if it has `run` and a {@link DataExport} for
 * each of its `exports`.
 *
 * All problems of all files are one error, each with file, line and column. The resources are declared at once, so a preview shows all of them. It needs no
 * credential and makes no request.
 */
export class Manifest extends ComponentResource {
  /** The tasks by their names. */
  declare readonly tasks: Readonly<Record<string, ExtractionTask>>;
  /** The runs by the names of their tasks. */
  declare readonly runs: Readonly<Record<string, CloudRun>>;
  /** The exports by their names, such as `novels-rows` for the export `rows` of the task `novels`. */
  declare readonly exports: Readonly<Record<string, DataExport>>;

  /** @throws RunError with all problems of the manifests */
  constructor(name: string, args: ManifestArgs, opts?: ComponentResourceOptions) {
    const declared = readTasks(name, args);
    super("webextract:index:Manifest", name, {}, opts);
    const named = Object.entries(declare(declared, this)).map(([kind, all]) => [
      kind,
      { value: requireNames(`Manifest "${name}"`, kind, Object.fromEntries(all)), enumerable: true },
    ]);
    Object.defineProperties(this, Object.fromEntries(named));
    this.registerOutputs({});
  }
}

function readTasks(name: string, args: ManifestArgs): DeclaredTask[] {
  const { path, variables = {} } = args ?? {};
  const paths = Array.isArray(path) ? path : [path];
  if (paths.length === 0 || paths.some((each) => typeof each !== "string")) {
    throw new RunError(`Manifest "${name}": path must be a string or a non-empty list of strings.`);
  }
  if (!isPlainMap(variables)) {
    throw new RunError(`Manifest "${name}": variables must be a map of values by their names.`);
  }
  const { readManifests, refusalOf } = manifestReader();
  const { tasks, problems } = readManifests({
    paths,
    folder: process.cwd(),
    settings: programSettings(),
    variables: variablesOf(variables),
  });
  if (problems.length > 0) {
    throw new RunError(refusalOf(`Manifest "${name}"`, problems));
  }
  return tasks;
}

function variablesOf(values: Readonly<Record<string, unknown>>): Variables {
  return {
    values,
    isLater: (value) => Output.isInstance(value) || value instanceof Promise,
    join: (parts) => concat(...(parts as Input<string>[])),
  };
}

/** Loads the parser with the first manifest: most programs have none. */
function manifestReader(): typeof import("./readManifests") {
  // biome-ignore lint/style/noCommonJs: an import at the top would load the parser with every program
  return require("./readManifests");
}

/** All tasks come before the first run: a run may start again with a change of any task. */
function declare(declared: readonly DeclaredTask[], parent: Manifest): Record<string, ReadonlyMap<string, unknown>> {
  const tasks = new Map(
    declared.map((each) => [each.name, new ExtractionTask(each.name, argsOf(each), optionsOf(each, parent))]),
  );
  const runs = new Map<string, CloudRun>();
  const exports = new Map<string, DataExport>();
  for (const { name, run, exports: ofTask } of declared) {
    const taskId = tasks.get(name)?.id;
    if (run !== undefined) {
      const rerunOn = run.rerunOn?.flatMap((each) => tasks.get(each) ?? []);
      runs.set(name, new CloudRun(run.name, { ...argsOf(run), taskId, rerunOn }, optionsOf(run, parent)));
    }
    for (const each of ofTask) {
      const lotNo = each.readsRun ? runs.get(name)?.id : undefined;
      const args = { taskId, ...(lotNo && { lotNo }), ...argsOf(each) };
      exports.set(each.name, new DataExport(each.name, args, optionsOf(each, parent)));
    }
  }
  return { tasks, runs, exports };
}

/** The check of the manifest has compared the values with the descriptions of the arguments. */
// biome-ignore lint/suspicious/noExplicitAny: the types of the arguments are known only at run time
function argsOf({ args }: Declared): any {
  return args;
}

function optionsOf({ was, opts }: Declared, parent: Manifest): CustomResourceOptions {
  const aliases: (Alias | string)[] = was.map((name) => (isUrn(name) ? name : { name }));
  return { parent, ...opts, ...(aliases.length > 0 && { aliases }) };
}

/** A misspelled name would be "undefined" somewhere later. */
function requireNames<T>(owner: string, kind: string, all: Record<string, T>): Readonly<Record<string, T>> {
  return new Proxy(all, {
    get(target, key) {
      const isName = typeof key === "string" && !(key in target) && !asked.test(key);
      if (isName) {
        const names = Object.keys(target);
        const list = names.length > 20 ? "" : ` Declared: ${names.join(", ") || "none"}.`;
        throw new RunError(`${owner} has no "${key}" in ${kind}${didYouMean(key, names) || "."}${list}`);
      }
      return Reflect.get(target, key);
    },
  });
}

/** What the SDK and Node.js look for in any object. */
const asked = /^(?:then|toJSON|inspect|__.*)$/;
