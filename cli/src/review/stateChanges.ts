import { isTask, partsOfUrn } from "../../../src/values/urn";
import type { StackResource } from "../connection/stackTasks";
import type { Plan, ResourceChange } from "../planReport/plan";
import { propertyChanges } from "../planReport/propertyChanges";
import type { StackState } from "./exportPairs";
import { nameInProgram } from "./exportPairs";

/** They say when a run starts, and differ in each stack. */
const notConfiguration = ["rerunOn", "runLabel"];

/** The differences between two states, as a plan that would make the one the other. */
export function stateChanges(base: StackState, head: StackState): Plan {
  const ofBase = byUrn(base);
  const ofHead = byUrn(head);
  const urns = [...new Set([...ofBase.keys(), ...ofHead.keys()])];
  const changes = urns.flatMap((urn) => changeOf(urn, ofBase.get(urn), ofHead.get(urn)) ?? []);
  const ids = [...ofHead, ...ofBase].flatMap(([urn, { id }]): [string, string][] =>
    id !== undefined && isTask(urn) ? [[id, urn]] : [],
  );
  return { changes, urnsById: new Map(ids), renamed: new Map(), diagnostics: [] };
}

/** A URN that is the same in both stacks. */
function commonUrn(urn: string): string {
  return `urn:pulumi:any::any::${nameInProgram(urn)}`;
}

function byUrn({ resources }: StackState): Map<string, StackResource> {
  return new Map(resources.map((each) => [commonUrn(each.urn), each]));
}

function changeOf(
  urn: string,
  base: StackResource | undefined,
  head: StackResource | undefined,
): ResourceChange | undefined {
  const { ownType, type, name } = partsOfUrn(urn);
  const sourcesOf = (argument: string): string[] => (head ?? base)?.sourcesOf(argument).map(commonUrn) ?? [];
  const isOwn = (argument: string): boolean => !notConfiguration.includes(argument) && !isDerived(argument, base, head);
  const change: ResourceChange = {
    ...{ urn, name, type: ownType ?? type, isOurs: true, id: base?.id },
    does: base === undefined ? "create" : head === undefined ? "delete" : "update",
    old: onlyWith(base?.inputs, isOwn),
    now: onlyWith(head?.inputs, isOwn),
    ...{ outputs: base?.outputs ?? {}, paths: [], replaceReasons: [], sourcesOf, isRetained: false },
  };
  return change.does === "update" && propertyChanges(change).length === 0 ? undefined : change;
}

/**
 * Whether a value comes from the same resources in both stacks, such as the id of the task: it differs only because
 * they do.
 */
function isDerived(argument: string, base: StackResource | undefined, head: StackResource | undefined): boolean {
  const [one, other] = [base, head].map((each) => each?.sourcesOf(argument).map(nameInProgram).sort().join("\n"));
  return one !== undefined && one !== "" && one === other;
}

function onlyWith(inputs: StackResource["inputs"] = {}, isKept: (name: string) => boolean): ResourceChange["old"] {
  return Object.fromEntries(Object.entries(inputs).filter(([name]) => isKept(name)));
}
