import type { CustomResourceOptions, ID, Input, Resource } from "@pulumi/pulumi";
import { CustomResource, mergeOptions, Output, output, runtime, unknown, unsecret } from "@pulumi/pulumi";
import { declaredKey, failedInputsKey, otherProblemsKey } from "../engine/serialization";
import { fewerFrames } from "../engine/stackFrames";
import type { AnyResource } from "../resources/index";
import { partOf, startsRun, timeoutAdvice } from "../resources/index";
import { linesAsOne } from "../resources/lists/lines";
import { identityArgs, taskNamedBy } from "../resources/ownership";
import { namedHash } from "../resources/run/rerunOn";
import { shownText } from "../service/errors/foreignText";
import { isBrokenText } from "../values/kinds";
import { isPlainMap } from "../values/plain";
import { providerKey, providerText } from "../values/stateContract";
import type { EngineKind } from "../values/urn";
import { typeToken } from "../values/urn";
import { failedInputs, inputsOf } from "./failedInputs";
import { accountIn, kindOf, kindOptions } from "./nativePlugin";
import { ProgramError, warnOnce } from "./perProgram";
import { otherProblems } from "./problems/otherProblems";
import { isMocked, requireResolvableProvider } from "./programConfig";
import { readOptions, requireProfile } from "./reads/programReads";
import type { OrderedResource } from "./taskOrder";
import { alias, claimFile, declare, taskOf } from "./taskOrder";

/**
 * Whether an output is the id of a resource of this package. An unknown id in a preview means that the id will change.
 */
const ids = new WeakSet<object>();

interface Declaration {
  definition: AnyResource;
  /** `Type "name"`, for messages. */
  title: string;
  args: Record<string, unknown>;
  opts: CustomResourceOptions | undefined;
}

/**
 * The base of all resources of this package. Programs use its subclasses.
 *
 * A preview refuses invalid arguments, and shows all problems of a resource at once. It also shows the problems of
 * other resources that the program can see. The program cannot see outputs, the content of files, lists of more than
 * 100 items, and resources that are declared after the program has waited for something. The engine itself stops at the
 * first resource that is refused.
 */
export abstract class ExtractionResource extends CustomResource {
  readonly #definition: AnyResource;
  readonly #name: string;
  readonly #args: Record<string, unknown>;

  /** @hidden */
  constructor(
    definition: AnyResource,
    name: string,
    given: Record<string, unknown>,
    opts: CustomResourceOptions | undefined,
  ) {
    // A program without types can give the resource itself.
    const { taskId } = given;
    const args = CustomResource.isInstance(taskId) ? { ...given, taskId: taskId.id } : given;
    const { type, idIs, outputs } = definition;
    const title = `${type} "${name}"`;
    const kind = kindOf(type, opts);
    const isGet = opts?.id !== undefined;
    const declaration: Declaration = { definition, title, args, opts };
    const properties = propertiesOf(declaration, kind);
    // The native plugin shows the problems of each resource at the resource.
    const others = kind === "native" || isGet || isMocked() ? undefined : otherProblems(definition, title, args);
    if (others !== undefined) {
      properties[otherProblemsKey] = others;
    }
    const isIdOfTask = idIs === "taskId";
    const named = taskNamedBy(args) ?? (isIdOfTask ? opts?.id : undefined);
    const task = taskOf(named, accountIn(type, args.profile, opts));
    if (!isGet && !isMocked() && !ignores(opts, identityArgs)) {
      properties[declaredKey] = Object.fromEntries(identityArgs.map((each) => [each, args[each]]));
    }
    const own: OrderedResource = {
      definition,
      title,
      parts: definition.manages?.(plainPart(args)) ?? [],
      startsRun: startsRun(definition, args),
      mayChange: [opts?.transforms, opts?.transformations].some((each) => each !== undefined && each.length > 0),
      readsTask: definition.readsTask?.(args) === true,
      claimed: isGet ? undefined : claimFile(title, args),
      inputs: () => inputsOf(args, opts?.dependsOn),
    };
    // A static get manages no part of the task, and no resource waits for it.
    const before = isGet ? [] : declare(own, task);
    const options = mergeOptions(optionsOf(declaration, before), kindOptions(type, kind, opts));
    if (!isGet && !isMocked() && !runtime.isDryRun()) {
      properties[failedInputsKey] = failedInputs(properties, options.dependsOn);
    }
    const leave = fewerFrames();
    try {
      super(typeToken(type, kind), name, properties, options);
    } finally {
      leave();
    }
    this.#definition = definition;
    this.#name = name;
    this.#args = args;
    if (isGet && runtime.isDryRun()) {
      // A preview does not read the resource, but its id is known. With an unknown id, every resource that takes the id
      // would show as replaced.
      Object.assign(this, { id: unsecret(output(opts.id)) });
    }
    if (outputs.includes(idIs) && !definition.keepsFirstId) {
      // In the preview of an update, the id is known and the outputs are not.
      Object.assign(this, { [idIs]: this.id });
    }
    ids.add(this.id);
    // An argument that was not given is an output with the value undefined.
    for (const each of Object.keys(definition.args).filter((arg) => !(arg in this))) {
      Object.defineProperty(this, each, { get: () => output(undefined) });
    }
    own.resource = this;
    alias(task, this, (this as unknown as { taskId: unknown }).taskId, isIdOfTask ? this.id : undefined);
  }

  /**
   * For `rerunOn`: the type, the name, and a hash of all arguments except options, with the content of files and lists.
   * The program computes it, so that the preview shows a reviewer that a run will start again.
   * @internal
   */
  namedHash(): Output<string> {
    const values = this as unknown as Record<string, unknown>;
    const { type, args } = this.#definition;
    const hashed = Object.keys(args).filter(
      (name) => !args[name]?.option && (args[name]?.derived || this.#args[name] !== undefined),
    );
    const all = output(Object.fromEntries(hashed.map((name) => [name, values[name]])));
    return all.apply((known) => namedHash(type, this.#name, known));
  }

  /**
   * The profile that the program gave. A function with this resource as its parent uses it.
   * @internal
   */
  givenProfile(): unknown {
    return this.#args.profile;
  }
}

function propertiesOf({ definition, title, args, opts }: Declaration, kind: EngineKind): Record<string, unknown> {
  if (kind === "dynamic") {
    requireResolvableProvider();
    refuseImport(definition, title, opts);
    // The native plugin gets the option from the engine, and warns itself.
    if (opts?.customTimeouts !== undefined) {
      void warnOnce(`customTimeouts of ${definition.type}`, timeoutAdvice(definition));
    }
  }
  refuseDeleteAfter(definition, title, opts);
  refuseLostText(title, args);
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
  // An omitted argument is an output only if `check` or the service can set it, because the SDK makes several promises
  // for each output.
  const filledIn = Object.keys(definition.args).filter(
    (each) => opts?.id !== undefined || definition.args[each]?.derived,
  );
  const outputs = [...filledIn, ...definition.outputs].map((each) => [each, undefined]);
  const sent = Object.entries(linesAsOne(definition.args, given, wholeList));
  return {
    ...Object.fromEntries(outputs),
    // What an earlier up has not written, which a run must know.
    ...(partOf(definition) === "settings" && { pending: undefined }),
    ...Object.fromEntries(sent.map(([each, value]) => [each, hasText(value) ? value : output(value)])),
    ...(kind === "dynamic" && { [providerKey]: providerText(definition.type) }),
  };
}

/**
 * The SDK makes a string of each argument that is no output. That fails for a map with an action or a field named
 * `toString`.
 */
function hasText(value: unknown): boolean {
  try {
    String(value);
    return true;
  } catch {
    return false;
  }
}

/** With `ignoreChanges`, the engine keeps the earlier value of an argument, as a transform would. */
function ignores(opts: CustomResourceOptions | undefined, names: readonly string[]): boolean {
  const paths = opts?.ignoreChanges ?? [];
  return paths.some((path) => path === "*" || names.includes(/^(?:\[")?(\w+)/.exec(path)?.[1] ?? ""));
}

/**
 * Half of a surrogate pair cannot be sent to the engine: the SDK would fail with an error that names no argument. The
 * SDK loses a property named `__proto__`.
 */
function refuseLostText(title: string, args: object): void {
  const where = lostText(title, "its name") ?? lostText(args, "");
  if (where !== undefined) {
    const reason = `neither half of a surrogate pair, such as \\ud800, nor the name __proto__ reaches the engine. It is in ${where}.`;
    throw new ProgramError(shownText(`${title}: ${reason}`));
  }
}

/** The path of the first such text. */
function lostText(value: unknown, path: string): string | undefined {
  if (typeof value === "string") {
    return isBrokenText(value) ? path : undefined;
  }
  for (const [name, each] of Array.isArray(value) || isPlainMap(value) ? Object.entries(value) : []) {
    const within = path === "" ? name : `${path}.${name}`;
    const at = Array.isArray(value) ? `${path}[${name}]` : within;
    const found = name === "__proto__" ? at : (lostText(name, at) ?? lostText(each, at));
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

/** Refuses an import: the host of the SDK would fail before it calls the provider. */
function refuseImport({ type }: AnyResource, title: string, opts: CustomResourceOptions | undefined): void {
  if (opts?.import !== undefined) {
    throw new ProgramError(
      `${title}: the option import does not work with dynamic resources: set webextract:native, or use another way. To adopt a task, set adoptTaskId (TaskCopy, ExtractionTask).  ` +
        `To adopt a run, set adoptLotNo (CloudRun). To look something up without managing it, call ${type}.get.`,
    );
  }
}

/**
 * With the option, `--replace` would create the new instance while the old one exists, without a diff that could say
 * otherwise.
 */
function refuseDeleteAfter({ isRun }: AnyResource, title: string, opts?: CustomResourceOptions): void {
  if (isRun && opts?.deleteBeforeReplace === false) {
    throw new ProgramError(
      `${title}: the option deleteBeforeReplace must not be false. A task has one run at a time: the new run would start while the old one is in the state, ` +
        'and the delete of the old one would stop the new one with onDelete: "stop". Remove the option.',
    );
  }
}

/**
 * A list of lines is sent as one output: if one item is secret, the whole list is. What `check` derives from the list
 * (digest, hosts) is then secret too, because placeholders under the same names are.
 */
function wholeList(name: string, list: unknown, derived: readonly string[]): Record<string, unknown> {
  const whole: Output<unknown> = output(list);
  return { [name]: whole, ...Object.fromEntries(derived.map((each) => [each, whole.apply(() => "")])) };
}

/** The arguments without outputs and promises: a program does not know their values. */
function plainPart(args: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(args).filter(([, value]) => !Output.isInstance(value) && !(value instanceof Promise));
  return Object.fromEntries(entries.map(([name, value]) => [name, isPlainMap(value) ? plainPart(value) : value]));
}

function optionsOf(
  { definition, title, args, opts }: Declaration,
  dependsOn: Input<Resource[]>,
): CustomResourceOptions {
  const { secretOutputs = [], isRun } = definition;
  // Without it, a preview would show an update of a resource that will be replaced, and would not show the new run or
  // copy.
  const replaceOnChanges = tasksNamed(args).flatMap(([path, taskId]) => {
    const isUpdated = path === "taskId" && definition.args.taskId?.replaces !== true;
    return !isUpdated && Output.isInstance(taskId) && ids.has(taskId) ? [path] : [];
  });
  const more = {
    dependsOn,
    additionalSecretOutputs: [...secretOutputs],
    replaceOnChanges,
    deleteBeforeReplace: opts?.deleteBeforeReplace ?? isRun,
  };
  return opts?.id === undefined
    ? mergeOptions(opts, more)
    : { ...mergeOptions(opts, more), id: idOf(title, opts.id, args) };
}

/**
 * The id of a static get. It is unknown in a preview that must not read, because the engine does not read a resource
 * with an unknown id. A preview must not read while an argument is unknown, because the engine would pass the known
 * arguments only. It must not read without a credential for reads.
 */
function idOf(who: string, id: Input<ID>, args: Record<string, unknown>): Output<ID> {
  if (!isMocked() && (args.profile === undefined || typeof args.profile === "string")) {
    requireProfile(who, args.profile);
  }
  const whatToRead = unsecret(output(args).apply(() => ""));
  const profile = unsecret(output(args.profile)) as Output<string | undefined>;
  return output([id, whatToRead, profile] as const).apply(async ([each, , account]) => {
    const isReadable = isMocked() || (await readOptions(who, account)) !== undefined;
    return isReadable ? each : (unknown as unknown as ID);
  });
}

/**
 * The arguments that name a task and whose change replaces, each with its path. With an id to adopt, the source has no
 * effect.
 */
function tasksNamed(args: Record<string, unknown> = {}): [string, unknown][] {
  const { taskId, sourceTaskId, adoptTaskId, from } = args;
  const within = isPlainMap(from) ? tasksNamed(from) : [];
  return [
    ["taskId", taskId],
    ...(adoptTaskId === undefined ? [["sourceTaskId", sourceTaskId] as [string, unknown]] : []),
    ...within.map(([path, value]): [string, unknown] => [`from.${path}`, value]),
  ];
}
