import { setTimeout as wait } from "node:timers/promises";
import type { Properties } from "../../src/engine/serialization";
import type { Host } from "../../src/provider/host";
import { titleOf } from "../../src/provider/host";
import { ProviderError } from "../../src/provider/providerErrors";
import type { Layer, Step } from "../../src/provider/step";
import { workArgs } from "../../src/resources/args";
import { unfinishedRunAdvice } from "../../src/resources/export/dataExport";
import type { AnyResource } from "../../src/resources/index";
import { partOf, startsRun } from "../../src/resources/index";
import { taskNamedBy } from "../../src/resources/ownership";
import { isNamedHash, namedHash } from "../../src/resources/run/rerunOn";
import { describeSharedFile } from "../../src/rows/destinations/fileIdentity";
import { fileBefore } from "../../src/rows/outputPath";
import type { Problem } from "../../src/values/kinds";
import { describeValue } from "../../src/values/kinds";
import { holdsUnknown, madeOnce, replaceEach, unknown } from "../../src/values/plain";
import { partsOfUrn } from "../../src/values/urn";

import { ResourceReference } from "./wireValues";

interface DeclaredResource {
  resource: AnyResource;
  args: Properties;
  /** Whether an argument is secret: so is the hash of the arguments then. */
  isSecret: boolean;
  /** Undefined until the engine or a create names it. */
  id?: string;
}

/** A value of `rerunOn`, and the resource whose arguments it is about. */
interface Found {
  hash: unknown;
  declared?: DeclaredResource;
}

/** What this command has to do with one task, by URN. */
interface TaskWork {
  /** Settings that are still to be written, or have failed. */
  settings: Set<string>;
  /** Runs that are still to be started, or have failed. */
  starts: Set<string>;
  failed: Set<string>;
  runs: Set<string>;
  /** Exports of all rows. */
  reads: Set<string>;
}

/**
 * How long a start, or a read of all rows, waits for the checks of resources that become possible at the same moment, in
 * milliseconds. A preview refuses what it can prove to be out of order, see `keepOrder`. This is for what it cannot: an up
 * without a preview, settings that only an up has to wait for, and several new tasks, whose settings it cannot tell apart.
 * No request of the engine contains the dependencies of a resource, and none says that the program will declare nothing
 * more. Settings that come later than this are refused after the start.
 */
const settleTime = 200;

/**
 * What the program declares in this command, as the engine shows it resource by resource. A program in TypeScript gets
 * this from the classes: `rerunOn`, the run label, and the order of the resources of a task.
 */
export class Declarations {
  private readonly declared = new Map<string, DeclaredResource>();
  private readonly tasks = new Map<string, TaskWork>();
  /** URNs of the tasks whose ids this preview does not know. */
  private readonly newTasks = new Set<string>();
  /** URNs of the runs by their ids. */
  private readonly runs = new Map<string, string>();
  /** URNs of exports by their files, and by the run if the path has its lotNo. */
  private readonly files = new Map<string, string>();
  private hasWarned = false;

  constructor(private readonly host: Host) {}

  /**
   * The arguments for `check`: with the run label, with hashes for the resources of `rerunOn`, and with no other
   * resources. `isSecret`: whether a hash is that of secret arguments.
   */
  resolve(
    resource: AnyResource,
    { urn, given, previous }: { urn: string; given: Properties; previous: Properties },
    problems: Problem[],
  ): { args: Properties; isSecret: boolean } {
    const [runLabel] = this.host.config.runLabels;
    const args = Object.fromEntries(Object.entries(given).filter(([name]) => !name.startsWith("__")));
    const found: Found[] = [];
    if ("rerunOn" in resource.args && Array.isArray(args.rerunOn)) {
      // A replace checks a resource a second time, without its state.
      const before = previous.rerunOn ?? this.host.seen.of(urn).previous?.rerunOn;
      const known: unknown[] = Array.isArray(before) ? before : [];
      found.push(...args.rerunOn.flatMap((each, index) => this.rerunOn(each, index, known, problems)));
      args.rerunOn = [...new Set(found.map(({ hash }) => hash))];
    } else if ("rerunOn" in resource.args && args.rerunOn !== undefined && args.rerunOn !== unknown) {
      problems.push({ path: "rerunOn", reason: `must be a list of resources or their ids; got ${what(args.rerunOn)}` });
      delete args.rerunOn;
    }
    if ("runLabel" in resource.args && args.runLabel === undefined) {
      const { emptyLabel } = this.host.config;
      problems.push(...(emptyLabel === undefined ? [] : [{ path: "", reason: emptyLabel }]));
      Object.assign(args, runLabel === undefined ? {} : { runLabel });
    }
    for (const [path, value] of Object.entries(args)) {
      args[path] = replaceEach(value, (each) => isReference(each, path, problems), unknown);
    }
    return { args, isSecret: found.some(({ declared }) => declared?.isSecret) };
  }

  noteChecked(urn: string, declared: Omit<DeclaredResource, "id">, isNew: boolean): void {
    this.declared.set(urn, { ...this.declared.get(urn), ...declared });
    if (isNew) {
      this.toDo(declared)?.add(urn);
    }
    this.warnOfUnfinishedRun(urn, declared.args);
  }

  /** Once in a command, as the classes do. The id of a run that is not started yet is unknown in a preview. */
  private warnOfUnfinishedRun(urn: string, { lotNo, taskId }: Properties): void {
    if (lotNo === undefined || this.hasWarned) {
      return;
    }
    const run = typeof lotNo === "string" ? this.runs.get(lotNo) : this.newRun(urn, taskId);
    const { waitFor = "started" } = (run === undefined ? undefined : this.declared.get(run))?.args ?? {};
    if (run !== undefined && waitFor === "started") {
      this.hasWarned = true;
      this.host.engine.log.warn(unfinishedRunAdvice(titleOf(urn), titleOf(run)), run);
    }
  }

  /** The only run of the task, or else that whose name an export of a manifest begins with. */
  private newRun(urn: string, taskId: unknown): string | undefined {
    const runs = this.runsOf(taskId);
    return runs.length === 1 ? runs[0] : runs.find((each) => namesExportOf(partsOfUrn(each).name, urn));
  }

  private runsOf(taskId: unknown): string[] {
    return [...this.declared].flatMap(([each, { resource, args }]) =>
      resource.isRun && args.taskId === taskId ? [each] : [],
    );
  }

  /** The problem if another export writes the same file. With a lotNo that is not known yet, it is that of the only run. */
  sharedFile(urn: string, { path, lotNo, taskId }: Properties): Problem[] {
    const runs = lotNo === unknown ? this.runsOf(taskId) : [];
    const found = runs.length === 1 ? fileBefore(this.host.programFolder, path, runs[0]) : undefined;
    const other = found && madeOnce(this.files, JSON.stringify(found), () => urn);
    return found === undefined || other === undefined || other === urn
      ? []
      : [{ path: "path", reason: describeSharedFile(found.file, titleOf(other)) }];
  }

  noteDiff(urn: string, id: string, is: "none" | "update" | "replace"): void {
    const found = this.noteId(urn, id);
    const toDo = found && this.toDo(found);
    const isToDo = found?.resource.isRun ? is === "replace" : is !== "none";
    isToDo ? toDo?.add(urn) : toDo?.delete(urn);
  }

  noteId(urn: string, id: string): DeclaredResource | undefined {
    const found = this.declared.get(urn);
    if (found?.resource.isRun) {
      this.runs.set(id, urn);
    }
    return found && Object.assign(found, { id });
  }

  /**
   * Refuses a run that would start before the settings of its task are written, settings that come after the start of
   * such a run, and an export of all rows that would read before such a run has started. A run that the program declares
   * after such a read can depend on it, so that is a warning. A preview takes the steps in the same order as an up, at
   * once: a resource that it creates is no dependency of those that it created before, however slow the program is.
   */
  keepOrder(isPreview: boolean): Layer {
    return async (step, host, next) => {
      const { call, urn, resource, args } = step;
      const work = call === "create" || call === "update" ? this.workOf(args) : undefined;
      if (urn === undefined) {
        return next(step, host);
      }
      if (work === undefined) {
        const outcome = await next(step, host);
        if (outcome.id === "" && !("taskId" in resource.args)) {
          this.newTasks.add(urn);
        }
        return outcome;
      }
      const isStart = call === "create" && startsRun(resource, args);
      const isRead = resource.readsTask?.(args) === true;
      if (!isPreview && (isStart || isRead)) {
        await wait(settleTime);
      }
      const [run] = partOf(resource) === "settings" ? work.runs : [];
      const [settings] = isStart ? work.settings : [];
      const [start] = isRead ? work.starts : [];
      const failed = [settings, start].find((each) => each !== undefined && work.failed.has(each));
      if (failed !== undefined) {
        throw new ProviderError(
          `${titleOf(failed)} has failed, so nothing was sent for ${titleOf(urn)}. Correct that error, then run "pulumi up" again.`,
        );
      }
      if (run !== undefined || settings !== undefined) {
        throw tooEarly(run ?? urn, settings ?? urn, step);
      }
      if (start !== undefined) {
        throw readsEarly(start, step);
      }
      if (isStart) {
        work.runs.add(urn);
        for (const read of work.reads) {
          host.warnOnce(
            `${titleOf(read)} has read all rows of the task before this run. If it should have their rows, add ${titleOf(urn)} to its dependsOn.`,
            urn,
          );
        }
      }
      if (isRead) {
        work.reads.add(urn);
      }
      work.failed.delete(urn);
      const outcome = await next(step, host).catch((error: unknown) => {
        work.failed.add(urn);
        throw error;
      });
      outcome.failure === undefined ? this.toDo({ resource, args })?.delete(urn) : work.failed.add(urn);
      return outcome;
    };
  }

  /** Where a resource is until its step has ended. */
  private toDo({ resource, args }: Pick<DeclaredResource, "resource" | "args">): Set<string> | undefined {
    const work = this.workOf(args);
    return partOf(resource) === "settings" ? work?.settings : startsRun(resource, args) ? work?.starts : undefined;
  }

  /** Undefined while the task is unknown. An id that a preview does not know is that of the new task, if there is one only. */
  private workOf(args: Properties): TaskWork | undefined {
    const { profile } = args;
    const taskId = taskNamedBy(args);
    const isKnown = typeof taskId === "string" && (profile === undefined || typeof profile === "string");
    const [newTask] = args.taskId === unknown && this.newTasks.size === 1 ? this.newTasks : [];
    const key = isKnown ? JSON.stringify([this.host.account(profile), taskId]) : newTask;
    if (key === undefined) {
      return undefined;
    }
    return madeOnce(this.tasks, key, () => ({
      settings: new Set(),
      starts: new Set(),
      failed: new Set(),
      runs: new Set(),
      reads: new Set(),
    }));
  }

  /** The values of one entry of `rerunOn` for `check`. An id can be that of several resources, which all count. */
  private rerunOn(given: unknown, index: number, before: readonly unknown[], problems: Problem[]): Found[] {
    if (given === unknown || isNamedHash(given) || (typeof given === "string" && before.includes(given))) {
      return [{ hash: given }];
    }
    const isGiven = ([urn, { id }]: [string, DeclaredResource]): boolean =>
      given instanceof ResourceReference ? given.urn === urn : id !== undefined && id === given;
    const found = [...this.declared].filter(isGiven).sort(([one], [other]) => (one < other ? -1 : 1));
    if (found.length > 0) {
      return found.map(([urn, declared]) => ({ hash: hashOfArgs(urn, declared), declared }));
    }
    const { ownType, name } = given instanceof ResourceReference ? partsOfUrn(given.urn) : {};
    const known = before.find((each) => typeof each === "string" && each.startsWith(`${ownType} ${name} `));
    if (known !== undefined) {
      return [{ hash: known }];
    }
    problems.push({
      path: `rerunOn[${index}]`,
      reason:
        "must be a resource of webextract, or the id of one, that this command shows to this provider. With --target, add that resource as a target. For other values, use triggers",
    });
    return [];
  }
}

function isReference(value: unknown, path: string, problems: Problem[]): boolean {
  if (!(value instanceof ResourceReference)) {
    return false;
  }
  problems.push({ path, reason: "has a resource as a value; give a property of it, such as its id" });
  return true;
}

function what(given: unknown): string {
  return given instanceof ResourceReference ? "a resource. Write it as a list" : describeValue(given);
}

function hashOfArgs(urn: string, { resource, args }: DeclaredResource): unknown {
  return holdsUnknown(args) ? unknown : namedHash(resource.type, partsOfUrn(urn).name, workArgs(resource.args, args));
}

function readsEarly(run: string, { urn = "", args }: Step): ProviderError {
  return new ProviderError(
    `${titleOf(urn)} reads all rows of ${taskIn(args)} before ${titleOf(run)} has started, because the program does not say that it depends on it. ` +
      `Nothing was read. Add dependsOn with ${titleOf(run)} to the options of ${titleOf(urn)}, or the other way round if it must read before the run.`,
  );
}

function tooEarly(run: string, settings: string, { urn, args }: Step): ProviderError {
  const nothing = urn === run ? "Nothing was started." : `Nothing was sent for ${titleOf(settings)}.`;
  return new ProviderError(
    `${titleOf(run)} starts before ${titleOf(settings)} has written its settings to ${taskIn(args)}, because the program does not say that it depends on them. ` +
      `${nothing} Add dependsOn with ${titleOf(settings)}, and with all other settings of the task, to the options of ${titleOf(run)}.`,
  );
}

function taskIn(args: Properties): string {
  const taskId = taskNamedBy(args);
  return typeof taskId === "string" ? `task "${taskId}"` : "the new task";
}

function namesExportOf(task: string, urn: string): boolean {
  return partsOfUrn(urn).name.startsWith(`${task}-`);
}
