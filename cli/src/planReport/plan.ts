import { parsedJson } from "../../../src/service/parsedJson";
import { isRecord, listOfStrings } from "../../../src/values/plain";
import { isTask, partsOfUrn } from "../../../src/values/urn";
import { CliError } from "../exitCodes";

/** What a plan does with one resource. */
export interface ResourceChange {
  urn: string;
  /** `ExtractionTask` for a type of this package, otherwise the whole type. */
  type: string;
  name: string;
  isOurs: boolean;
  /** `create`, `update`, `replace`, `delete`, or another word of the engine. */
  does: string;
  /** The id of the resource that exists. */
  id?: string;
  old: Inputs;
  now: Inputs;
  /** The outputs of the resource that exists. */
  outputs: Inputs;
  /** Paths that the engine names as changed. */
  paths: string[];
  replaceReasons: string[];
  /** URNs of the resources from which the value of an argument comes. */
  sourcesOf(argument: string): string[];
  /** The engine forgets the resource and does not call the provider. */
  isRetained: boolean;
}

export type Inputs = Readonly<Record<string, unknown>>;

export interface Plan {
  changes: ResourceChange[];
  /** URNs of the tasks by their ids. A configuration of a task has the same id. */
  urnsById: ReadonlyMap<string, string>;
  /** The new URNs of renamed resources by the old ones. Those without another change need `--show-sames`. */
  renamed: ReadonlyMap<string, string>;
  diagnostics: { severity: string; message: string }[];
}

/**
 * Reads the output of `pulumi preview --json`. Unknown fields and steps of other forms are ignored.
 * @throws CliError if the text is something else
 */
export function readPlan(text: string): Plan {
  const plan = parsed(text);
  const steps = listOf(plan.steps).filter(isRecord);
  const byUrn = new Map<string, PlanStep[]>();
  const urnsById = new Map<string, string>();
  const renamed = new Map<string, string>();
  for (const each of steps) {
    const step = stepOf(each);
    if (step !== undefined) {
      byUrn.set(step.urn, [...(byUrn.get(step.urn) ?? []), step]);
      if (step.id !== undefined && isTask(step.urn) && !urnsById.has(step.id)) {
        urnsById.set(step.id, step.urn);
      }
      if (typeof step.old?.urn === "string" && step.old.urn !== step.urn) {
        renamed.set(step.old.urn, step.urn);
      }
    }
  }
  if (byUrn.size === 0 && listOf(plan.steps).length > 0) {
    throw new CliError(`${noPlan} no step has a urn and an op.`, "usage");
  }
  const diagnostics = listOf(plan.diagnostics).flatMap((each) => {
    const { severity, message } = isRecord(each) ? each : {};
    return typeof severity === "string" && typeof message === "string" ? [{ severity, message }] : [];
  });
  const changes = [...byUrn].flatMap(([urn, all]) => changeOf(urn, all) ?? []);
  return { changes, urnsById, renamed, diagnostics };
}

const noPlan = 'The input is not the output of "pulumi preview --json":';

/** Behind what other steps have written to the same output, such as the installation of a policy pack. */
function parsed(text: string): Record<string, unknown> {
  const plan = parsedJson(text) ?? parsedJson(text.slice(text.lastIndexOf("\n{") + 1));
  if (plan === undefined) {
    throw new CliError(`${noPlan} it is not one JSON document.`, "usage");
  }
  if (isRecord(plan) && (Array.isArray(plan.steps) || isRecord(plan.changeSummary) || "diagnostics" in plan)) {
    return plan;
  }
  throw new CliError(`${noPlan} it has no list of steps.`, "usage");
}

type PlanStep = NonNullable<ReturnType<typeof stepOf>>;

function stepOf(step: Record<string, unknown>) {
  const { urn, op, oldState, newState, detailedDiff } = step;
  if (typeof urn !== "string" || typeof op !== "string") {
    return undefined;
  }
  const [old, now] = [oldState, newState].map((state) => (isRecord(state) ? state : undefined));
  const id = old?.id ?? now?.id;
  return {
    urn,
    op,
    id: typeof id === "string" && id !== "" ? id : undefined,
    old,
    now,
    paths: isRecord(detailedDiff) ? Object.keys(detailedDiff) : listOfStrings(step.diffReasons),
    replaceReasons: listOfStrings(step.replaceReasons),
  };
}

/**
 * A `replace` says what `delete-replaced` repeats. Without one, an earlier up has replaced the resource: the step has the
 * URN of the one in its place.
 */
const ignored = ["same", "read", "refresh", "delete-replaced"];

/** The steps of a replace are one change. Undefined if nothing changes. */
function changeOf(urn: string, all: readonly PlanStep[]): ResourceChange | undefined {
  const steps = all.filter(({ op }) => !ignored.includes(op));
  const last = steps.at(-1);
  if (last === undefined) {
    return undefined;
  }
  const old = steps.find((step) => step.old !== undefined)?.old ?? {};
  const now = last.op === "delete" ? {} : (steps.findLast((step) => step.now !== undefined)?.now ?? {});
  const { type, name, ownType } = partsOfUrn(urn);
  const dependencies = isRecord(now.propertyDependencies) ? now.propertyDependencies : old.propertyDependencies;
  return {
    urn,
    type: ownType ?? type,
    name,
    isOurs: ownType !== undefined,
    does: steps.some(({ op }) => op.includes("replace")) ? "replace" : last.op,
    id: steps.find(({ id }) => id !== undefined)?.id,
    old: isRecord(old.inputs) ? old.inputs : {},
    now: isRecord(now.inputs) ? now.inputs : {},
    outputs: isRecord(old.outputs) ? old.outputs : {},
    paths: [...new Set(steps.flatMap(({ paths }) => paths))],
    replaceReasons: [...new Set(steps.flatMap(({ replaceReasons }) => replaceReasons))],
    sourcesOf: (argument) => (isRecord(dependencies) ? listOfStrings(dependencies[argument]) : []),
    isRetained: old.retainOnDelete === true,
  };
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
