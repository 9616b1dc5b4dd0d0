import type { Alias, ComponentResourceOptions, CustomResourceOptions, Input } from "@pulumi/pulumi";
import { ComponentResource, concat, log, Output } from "@pulumi/pulumi";
import { CloudRun, DataExport, ExtractionTask } from "../program/classes";
import { ProgramError } from "../program/perProgram";
import { programSettings } from "../program/programConfig";
import { isUrn } from "../values/urn";
import { didYouMean } from "../values/words";
import type { DeclaredResources } from "./component";
import { declareAll, manifestReader, pathsOf, problemOfArgs } from "./component";
import type { DeclaredResource, DeclaredTask } from "./readManifests";
import type { Variables } from "./variables";

/** Arguments of {@link Manifest}. */
export interface ManifestArgs {
  /**
   * A file, a glob or a folder with manifests, or a list of them, relative to the program's folder. A folder is read
   * with all folders in it: every file that ends in `.yaml` or `.yml`.
   */
  path: string | string[];
  /**
   * Values for `${name}` in the manifests, by their names. A value may be an output and may be secret. It stays so. No
   * other variables exist: nothing reads the environment.
   * @default no variables
   */
  variables?: Record<string, Input<unknown>>;
}

/**
 * Tasks that are declared in YAML. Each task of the manifests is an {@link ExtractionTask}, with a {@link CloudRun} if
 * it has `run` and a {@link DataExport} for each of its `exports`.
 *
 * All problems of all files are one error, each with file, line and column. The resources are declared at once, so a
 * preview shows all of them. It needs no credential and makes no request.
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
    const { tasks, warning } = readTasks(name, args);
    super("webextract:index:Manifest", name, {}, opts);
    if (warning !== undefined) {
      void log.warn(warning, this);
    }
    const named = Object.entries(declare(tasks, this)).map(([kind, all]) => [
      kind,
      { value: requireNames(`Manifest "${name}"`, kind, Object.fromEntries(all)), enumerable: true },
    ]);
    Object.defineProperties(this, Object.fromEntries(named));
    this.registerOutputs({});
  }
}

function readTasks(name: string, args: ManifestArgs): { tasks: DeclaredTask[]; warning: string | undefined } {
  const { path, variables = {} } = args ?? {};
  const problem = problemOfArgs(path, variables);
  if (problem !== undefined) {
    throw new ProgramError(`Manifest "${name}": ${problem}.`);
  }
  const { readManifests, describeProblems } = manifestReader();
  const { tasks, problems, warnings } = readManifests({
    paths: pathsOf(path) as string[],
    folder: process.cwd(),
    settings: programSettings(),
    mayBeStored: true,
    variables: variablesOf(variables),
  });
  if (problems.length > 0) {
    throw new ProgramError(describeProblems(`Manifest "${name}"`, problems));
  }
  const warning = warnings.length > 0 ? describeProblems(`Manifest "${name}"`, warnings, "warning") : undefined;
  return { tasks, warning };
}

function variablesOf(values: Readonly<Record<string, unknown>>): Variables {
  return {
    values,
    isLater: (value) => Output.isInstance(value) || value instanceof Promise,
    join: (parts) => concat(...(parts as Input<string>[])),
  };
}

function declare(
  tasks: readonly DeclaredTask[],
  parent: Manifest,
): DeclaredResources<ExtractionTask, CloudRun, DataExport> {
  return declareAll(tasks, {
    task: (each) => new ExtractionTask(each.name, argsOf(each), optionsOf(each, parent)),
    run: (run, { id }, rerunOn) =>
      new CloudRun(run.name, { ...argsOf(run), taskId: id, rerunOn }, optionsOf(run, parent)),
    export(each, { id }, run) {
      const lotNo = each.readsRun ? run?.id : undefined;
      const args = { taskId: id, ...(lotNo && { lotNo }), ...argsOf(each) };
      return new DataExport(each.name, args, optionsOf(each, parent));
    },
  });
}

/** The check of the manifest has compared the values with the descriptions of the arguments. */
// biome-ignore lint/suspicious/noExplicitAny: the types of the arguments are known only at run time
function argsOf({ args }: DeclaredResource): any {
  return args;
}

function optionsOf({ was, opts }: DeclaredResource, parent: Manifest): CustomResourceOptions {
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
        throw new ProgramError(`${owner} has no "${key}" in ${kind}${didYouMean(key, names) || "."}${list}`);
      }
      return Reflect.get(target, key);
    },
  });
}

/** What the SDK and Node.js look for in any object. */
const asked = /^(?:then|toJSON|inspect|__.*)$/;
