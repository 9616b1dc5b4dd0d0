import { isTask, partsOfUrn } from "../../resources/urn";
import { listOfStrings } from "../../resources/values";
import { parsedJson } from "../../service/parsedJson";
import { isRecord } from "../../values/isRecord";
import { CliError } from "../exitCodes";

/** What a plan does with one resource. */
export interface ResourceChange {
  urn: string;
  /** The URN before, if the plan renames the resource. */
  earlierUrn?: string;
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
  diagnostics: { severity: string; message: string }[];
}

/**
 * Reads the output of `pulumi preview --json`. Unknown fields and steps of other forms are ignored.
 * @throws CliError if the text is something else
 */
export function readPlan(text: string): Plan {
  const plan = parsed(text);
  const steps = listOf(plan.steps).filter(isRecord);
  const byUrn = new Map<string, Step[]>();
  const urnsById = new Map<string, string>();
  for (const each of steps) {
    const step = stepOf(each);
    if (step !== undefined) {
      byUrn.set(step.urn, [...(byUrn.get(step.urn) ?? []), step]);
      if (step.id !== undefined && isTask(step.urn) && !urnsById.has(step.id)) {
        urnsById.set(step.id, step.urn);
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
  return { changes: [...byUrn].flatMap(([urn, all]) => changesOf(urn, all)), urnsById, diagnostics };
}

const noPlan = 'The input is not the output of "pulumi preview --json":';

/** Behind what other steps have written to the same output, such as the installation of a policy pack. */
function parsed(text: string): Record<string, unknown> {
  const starts = [0, text.search(/^\{\s*$/m), text.lastIndexOf("\n{") + 1];
  const plan = starts.map((start) => parsedJson(text.slice(Math.max(start, 0)))).find((each) => each !== undefined);
  if (plan === undefined) {
    throw new CliError(`${noPlan} it is not one JSON document.`, "usage");
  }
  if (isRecord(plan) && (Array.isArray(plan.steps) || isRecord(plan.changeSummary) || "diagnostics" in plan)) {
    return plan;
  }
  throw new CliError(`${noPlan} it has no list of steps.`, "usage");
}

type Step = NonNullable<ReturnType<typeof stepOf>>;

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

const unchanging = ["same", "read", "refresh"];

/** With `--show-replacement-steps`, what an earlier up has replaced and is still to be deleted has the same URN. */
function changesOf(urn: string, all: readonly Step[]): ResourceChange[] {
  const isOfReplace = ({ op, id }: Step): boolean =>
    all.some((each) => each.op !== op && each.op.includes("replace") && each.id === id);
  const left = all.filter((step) => step.op === "delete-replaced" && !isOfReplace(step));
  const changes = left.map((step) => changeOf(urn, [{ ...step, op: "delete" }]));
  return [
    ...changes,
    changeOf(
      urn,
      all.filter((step) => !left.includes(step)),
    ),
  ].flatMap((each) => each ?? []);
}

/** The steps of a replace are one change. Undefined if nothing changes. */
function changeOf(urn: string, all: readonly Step[]): ResourceChange | undefined {
  const steps = all.filter(({ op }) => !unchanging.includes(op));
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
    earlierUrn: typeof old.urn === "string" && old.urn !== urn ? old.urn : undefined,
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
