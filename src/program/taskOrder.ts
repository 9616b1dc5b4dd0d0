import { setImmediate } from "node:timers/promises";
import type { Input, Resource } from "@pulumi/pulumi";
import { Output, output } from "@pulumi/pulumi";
import { hasResources, knownValue, resourcesBehind, withResourcesOfComponents } from "../engine/sdk";
import type { AnyResource } from "../resources/index";
import { partOf } from "../resources/index";
import type { OwnedPart } from "../resources/ownership";
import { describeConflict, Owners } from "../resources/ownership";
import { describeSharedFile } from "../rows/destinations/fileIdentity";
import { fileBefore } from "../rows/outputPath";
import { madeOnce } from "../values/plain";
import { failed, orStuck, ProgramError, perProgram } from "./perProgram";

/**
 * What a program has declared for one task so far, by one name of the task: an output, or a string in an account. All
 * resources of a task take `copy.id`. So Pulumi alone would start a paid run on a task that is not configured yet, and
 * an export before its run has ended.
 */
interface OrderedTask {
  readonly declared: OrderedResource[];
  readonly owners: Owners<OwnedPart>;
  /** Absent for a task that the program copies, until its resource names it. */
  id?: unknown;
  readonly account?: unknown;
  /** The resource that copies the task. Two of these are two tasks. */
  readonly isCopied: boolean;
}

/** A resource of a task. */
export interface OrderedResource {
  readonly definition: AnyResource;
  /** `Type "name"`. */
  readonly title: string;
  readonly parts: readonly OwnedPart[];
  readonly startsRun: boolean;
  /**
   * Whether it has a transform of its own, which can give it another task. `check` refuses that. So that no run starts
   * before that check, the order counts it for every task.
   */
  readonly mayChange: boolean;
  /** Whether it reads all rows that the task has, and not those of one run. */
  readonly readsTask: boolean;
  /** Ends when its file is its own; rejects if another export has it. */
  readonly claimed: Promise<void> | undefined;
  /** The resources that the program makes it depend on. */
  inputs(): Promise<Resource[]>;
  resource?: Resource;
}

/** Whether two names are names of one task. `maybe`: a preview does not know their values, which have one source. */
type Sameness = "same" | "maybe" | "different";

const program = perProgram(() => ({
  tasks: new Set<OrderedTask>(),
  /** By what stands for an account, or undefined for outputs, which name a task in any account: by their names. */
  byName: new Map<unknown, Map<unknown, OrderedTask>>(),
  byResource: new Map<Resource, OrderedTask>(),
  /** Those that have a transform. */
  changeable: [] as OrderedResource[],
  /** With what the program ends. */
  refusal: undefined as ProgramError | undefined,
}));

/**
 * What was declared for a task by this name. Other names can be names of the same task, see `samenessOf`.
 * @param named undefined for a task that the program copies
 * @param account a string or an object that stands for the account, or an output of it
 */
export function taskOf(named: unknown, account: unknown): OrderedTask {
  const { tasks } = program();
  // An id can be an integer in a program without types.
  const id = typeof named === "number" ? String(named) : named;
  const isString = typeof id === "string" && !Output.isInstance(account);
  const names = namesIn(isString ? account : undefined);
  const found = names.get(id) ?? {
    declared: [],
    owners: new Owners<OwnedPart>(),
    id,
    account,
    isCopied: id === undefined,
  };
  if (isString || Output.isInstance(id) || id instanceof Promise) names.set(id, found);
  tasks.add(found);
  return found;
}

function namesIn(account: unknown): Map<unknown, OrderedTask> {
  return madeOnce(program().byName, account, () => new Map());
}

/** Notes a resource whose outputs name a task, and these outputs. */
export function alias(task: OrderedTask, resource: Resource, ...outputs: unknown[]): void {
  program().byResource.set(resource, task);
  for (const each of outputs.filter(Output.isInstance)) {
    namesIn(undefined).set(each, task);
    task.id ??= each;
  }
}

/** The runs of the program, whatever names their tasks. */
export function declaredRuns(): OrderedResource[] {
  return [...program().tasks].flatMap(({ declared }) => declared.filter(({ definition }) => definition.isRun));
}

/** The titles of exports by their files and runs. */
const files = perProgram(() => new Map<string, Map<unknown, string>>());

/**
 * Refuses a second export to one file, as far as the program knows the path and the resource that the lotNo comes from.
 * @returns ends when that resource is known; undefined if nothing is still to compare
 */
export function claimFile(
  title: string,
  { path, lotNo }: Readonly<Record<string, unknown>>,
): Promise<void> | undefined {
  const found = fileBefore(process.cwd(), path, lotNo);
  if (found === undefined) return undefined;
  const { file, run } = found;
  const exports = madeOnce(files(), file, () => new Map<unknown, string>());
  const claim = (of: unknown): void => {
    const other = madeOnce(exports, of, () => title);
    refuse(other === title ? undefined : `${title}: path ${describeSharedFile(file, other)}.`);
  };
  claim(run);
  return Output.isInstance(run) || run instanceof Promise
    ? resourcesBehind(output(run))
        .then((sources) => sources.length === 1 && claim(sources[0]))
        .then(() => undefined)
    : undefined;
}

/**
 * Notes a resource of a task, and returns the resources that must be in place before it. Refuses a second owner of the
 * same part of a task, settings that are declared after a run that needs them, and a run that is declared after an
 * export that should read its rows. Compares ids that are known later once they are known: only those of resources that
 * were declared before, which cannot wait for this one.
 */
export function declare(own: OrderedResource, task: OrderedTask): Input<Resource[]> {
  const { waitsFor } = own.definition;
  const before = [...task.declared];
  refuse(tooLate(own, before) ?? conflict(own, task.owners));
  const compared = [...program().tasks].flatMap((each): [OrderedTask, OrderedResource[]][] =>
    mayBeSame(task, each) ? [[each, [...each.declared]]] : [],
  );
  task.declared.push(own);
  if (own.mayChange) program().changeable.push(own);
  task.owners.note({ key: own, title: own.title }, own.parts, "declared");
  const changeable = own.mayChange ? [...program().tasks].flatMap(({ declared }) => declared) : program().changeable;
  const needed = needs(waitsFor, [...before, ...changeable.filter((each) => each !== own)]);
  const later = [task, ...compared.map(([each]) => each)].filter(isDeferred);
  const isHeld = own.startsRun || own.readsTask;
  if (compared.length === 0 && !isHeld && own.claimed === undefined && later.length === 0) return needed;
  const ordered = async (): Promise<Resource[]> => {
    await own.claimed;
    await (isHeld ? programDeclared() : undefined);
    const samenesses = await Promise.all(compared.map(([each]) => samenessOf(task, each)));
    const same = compared.flatMap(([, each], index) => (samenesses[index] === "same" ? each : []));
    const maybe = compared.flatMap(([, each], index) => (samenesses[index] === "maybe" ? each : []));
    refuse(tooLate(own, same) ?? conflict(own, ownersOf(same)) ?? (await readsEarly(own, [...before, ...same])));
    refuse(own.startsRun ? await unwritten(own, [...before, ...same]) : undefined);
    return [...needed, ...needs(waitsFor, [...same, ...maybe])];
  };
  return nameIfStuck(own, later, ordered()).catch(failed);
}

/** Ends when the program has declared what it declares at once. Rejects if that was refused: no run may be paid for. */
async function programDeclared(): Promise<void> {
  await setImmediate();
  if (program().refusal !== undefined) throw program().refusal;
}

/** Whether the id gets its value from what nobody sees before: a promise, or an output that the program resolves later. */
function isDeferred({ id }: OrderedTask): boolean {
  return id instanceof Promise || (Output.isInstance(id) && !hasResources(id));
}

/**
 * With such an id, a resource can wait for what waits for it. The SDK only counts its promises then.
 */
function nameIfStuck<T>({ title }: OrderedResource, later: readonly OrderedTask[], work: Promise<T>): Promise<T> {
  if (later.length === 0) return work;
  const titles = later.flatMap(({ declared: [first] }) => first?.title ?? []);
  const ids = titles.map((each) =>
    each === title ? "its own taskId" : `the taskId of ${each}, which is declared before it`,
  );
  const message =
    `${title} has waited for ${ids.join(", and for ")}, until the program ended. ` +
    `If that taskId comes from a resource that waits for ${title}, give the id of the task itself.`;
  const known = Promise.all(later.map(({ id }) => valueNamed(id)));
  return orStuck(message, Promise.all([work, known])).then(([result]) => result);
}

function needs(part: AnyResource["waitsFor"], before: readonly OrderedResource[]): Resource[] {
  return before.flatMap(({ definition, resource }) =>
    part !== undefined && partOf(definition) === part && resource !== undefined ? [resource] : [],
  );
}

function refuse(problem: string | undefined): void {
  if (problem === undefined) return;
  const refusal = new ProgramError(problem);
  program().refusal ??= refusal;
  throw refusal;
}

function ownersOf(declared: readonly OrderedResource[]): Owners<OwnedPart> {
  const owners = new Owners<OwnedPart>();
  for (const each of declared) {
    owners.note({ key: each, title: each.title }, each.parts, "declared");
  }
  return owners;
}

function conflict(own: OrderedResource, owners: Owners<OwnedPart>): string | undefined {
  const found = owners.conflictWith({ key: own, title: own.title }, own.parts);
  return (
    found && `${describeConflict(found.other.title, own.title, found.part, "the same task")} Keep it in one of them.`
  );
}

function tooLate({ definition, title }: OrderedResource, before: readonly OrderedResource[]): string | undefined {
  const run = partOf(definition) === "settings" ? before.find(({ startsRun }) => startsRun)?.title : undefined;
  return (
    run &&
    `${title} configures the task of ${run}, which is declared before it. The run would start on a task that is not configured yet. ` +
      `Declare ${title} before ${run}.`
  );
}

/**
 * With `--target` or `--exclude`, the engine takes settings from the state, also those of which an earlier up has not
 * written all.
 */
async function unwritten({ title }: OrderedResource, before: readonly OrderedResource[]): Promise<string | undefined> {
  for (const { definition, resource, title: settings } of before) {
    const { pending } = (resource ?? {}) as { pending?: Output<unknown> };
    const left = partOf(definition) === "settings" && pending ? await knownValue(pending) : undefined;
    if (Array.isArray(left) && left.length > 0) {
      return `${title} was not started: an earlier up has not written all of ${settings}. Run "pulumi up" without --target and --exclude.`;
    }
  }
  return undefined;
}

async function readsEarly(own: OrderedResource, before: readonly OrderedResource[]): Promise<string | undefined> {
  const exports = own.startsRun ? before.filter(({ readsTask }) => readsTask) : [];
  const inputs = exports.length === 0 ? [] : await withResourcesOfComponents(await own.inputs());
  const early = exports.find(({ resource }) => resource !== undefined && !inputs.includes(resource))?.title;
  return (
    early &&
    `${early} reads the rows of the task of ${own.title}, which is declared after it. The rows of the run would be missing. ` +
      `Declare ${own.title} before ${early}. If the export must read before the run, add ${early} to dependsOn of ${own.title}.`
  );
}

/**
 * Whether the task of a resource that is declared now needs a comparison with an earlier one. A task that the resource
 * itself copies has no name yet: the resource would wait for its own id.
 */
function mayBeSame(one: OrderedTask, other: OrderedTask): boolean {
  const isUnnamed = one.id === undefined;
  if (isUnnamed || one === other || (one.isCopied && other.isCopied) || other.declared.length === 0) {
    return false;
  }
  return [one, other].some(({ id, account }) => typeof id !== "string" || Output.isInstance(account));
}

async function samenessOf(one: OrderedTask, other: OrderedTask): Promise<Sameness> {
  const [of, ofOther] = await Promise.all([originOf(one), originOf(other)]);
  if (of.task === ofOther.task) return "same";
  if (of.task.isCopied && ofOther.task.isCopied) return "different";
  const ids = await Promise.all([one.id, other.id].map(valueNamed));
  const accounts = await Promise.all([one.account, other.account].map(valueNamed));
  const areKnown = [...ids, ...accounts].every((each) => each !== undefined);
  if (areKnown) {
    return String(ids[0]) === String(ids[1]) && accounts[0] === accounts[1] ? "same" : "different";
  }
  return of.sources.some((each) => ofOther.sources.includes(each)) ? "maybe" : "different";
}

/** The task that a name comes from, and the resources: an output of `copy.id` alone is the task of `copy`. */
async function originOf(task: OrderedTask): Promise<{ task: OrderedTask; sources: readonly Resource[] }> {
  const sources = task.id === undefined ? [] : await resourcesBehind(output(task.id));
  const tasks = new Set(sources.map((each) => program().byResource.get(each)));
  const [only] = tasks;
  return { task: tasks.size === 1 && only !== undefined ? only : task, sources };
}

async function valueNamed(named: unknown): Promise<unknown> {
  return named === undefined ? undefined : knownValue(output(named));
}
