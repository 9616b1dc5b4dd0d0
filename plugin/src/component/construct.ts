import type { ConstructRequest } from "@pulumi/pulumi/proto/provider_pb";
import { ConstructResponse } from "@pulumi/pulumi/proto/provider_pb";
import { RegisterResourceRequest } from "@pulumi/pulumi/proto/resource_pb";
import type { Properties } from "../../../src/engine/serialization";
import { declareAll, manifestReader, pathsOf, problemOfArgs } from "../../../src/manifest/component";
import type { DeclaredResource, DeclaredTask } from "../../../src/manifest/readManifests";
import type { Host } from "../../../src/provider/host";
import { ProviderError } from "../../../src/provider/providerErrors";
import { resourceNamed } from "../../../src/resources/index";
import { linesAsOne } from "../../../src/resources/lists/lines";
import { ownPackage } from "../../../src/system/ownPackage";
import { unknownText } from "../../../src/values/engineValues";
import { messageOf } from "../../../src/values/errors";
import { unknown } from "../../../src/values/plain";
import { isUrn, partsOfUrn, typeToken } from "../../../src/values/urn";
import { pluginDownloadUrl } from "../schemaText";
import type { WireProperties } from "../wireValues";
import { decodeStruct, encode, ResourceReference, referenceTo, structOf } from "../wireValues";
import type { AliasOf, Registered } from "./monitor";
import { aliasesOf, Monitor } from "./monitor";
import { variablesOf, withoutVariables } from "./variables";

const type = typeToken("Manifest", "native");

/**
 * Declares the resources of manifests, as the class `Manifest` does: under the same names, with the same arguments, so
 * that a stack can take either. All problems of all files are one error.
 * @param providerUrn the URN of this provider
 * @throws ProviderError with all problems of the arguments or of the manifests
 */
export async function construct(
  request: ConstructRequest,
  host: Host,
  providerUrn: string,
): Promise<ConstructResponse> {
  if (request.getType() !== type) {
    throw new ProviderError(`pulumi-webextract has no component "${request.getType()}". It has ${type}.`);
  }
  const { tasks, warning } = tasksOf(request, host);
  if (warning !== undefined) {
    host.engine.log.warn(warning);
  }
  const monitor = new Monitor(request.getMonitorendpoint(), host.engine.interrupted, request.getParallel());
  try {
    return await new ManifestComponent(request, monitor, providerUrn).declare(tasks);
  } finally {
    monitor.close();
  }
}

function tasksOf(request: ConstructRequest, host: Host): { tasks: DeclaredTask[]; warning: string | undefined } {
  const title = `Manifest "${request.getName()}"`;
  const { values, secrets } = decodeStruct(request.getInputs());
  const { path, variables = {} } = values;
  const problem = problemOfArgs(path, variables === unknown ? {} : variables);
  if (problem !== undefined) {
    const got = pathsOf(path).includes(unknown) ? "; got a value that this preview does not know" : "";
    throw new ProviderError(`${title}: ${problem}${got}.`);
  }
  const resource = Object.entries(variables as Properties).find(([, value]) => value instanceof ResourceReference);
  if (resource !== undefined) {
    throw new ProviderError(`${title}: variables.${resource[0]} is a resource. Give a property of it, such as its id.`);
  }
  refuseOptions(title, request);
  const { readManifests, describeProblems } = manifestReader();
  const { tasks, problems, warnings } = readManifests({
    paths: pathsOf(path) as string[],
    folder: host.programFolder,
    settings: host.config.settings,
    mayBeStored: true,
    variables: variablesOf(
      variables as Properties | typeof unknown,
      secrets.filter(([name]) => name === "variables"),
    ),
  });
  if (problems.length > 0) {
    throw new ProviderError(describeProblems(title, problems));
  }
  return { tasks, warning: warnings.length > 0 ? describeProblems(title, warnings, "warning") : undefined };
}

/** The engine would ignore these options of a component, and the user would not know. */
function refuseOptions(title: string, request: ConstructRequest): void {
  const given = {
    ignoreChanges: request.getIgnorechangesList().length > 0,
    replaceOnChanges: request.getReplaceonchangesList().length > 0,
    replaceWith: request.getReplaceWithList().length > 0,
    replacementTrigger: request.getReplacementTrigger() !== undefined,
    deleteBeforeReplace: request.getDeletebeforereplace() === true,
    additionalSecretOutputs: request.getAdditionalsecretoutputsList().length > 0,
    customTimeouts: Object.values(request.getCustomtimeouts()?.toObject() ?? {}).some((each) => each !== ""),
  };
  const refused = Object.entries(given).flatMap(([name, isGiven]) => (isGiven ? [name] : []));
  if (refused.length > 0) {
    throw new ProviderError(
      `${title}: the ${refused.length === 1 ? "option has" : "options have"} no effect on a Manifest: ${refused.join(", ")}. ` +
        "Nothing was declared. Give ignoreChanges under opts of a task, a run or an export, and leave the others out.",
    );
  }
}

/** A child, or undefined if it failed or was skipped. */
type Child = Promise<Registered | undefined>;

/** What a child needs of others. */
interface Needed {
  /** The arguments that are their ids. */
  ids?: Readonly<Record<string, Child>>;
  rerunOn?: readonly Child[];
  /** Another one that it waits for. */
  after?: Child;
}

class ManifestComponent {
  private urn = "";
  /** What the component waits for, and each of its children. */
  private readonly waitsFor: readonly string[];
  /**
   * Why the engine did not take children, such as an error in a transform of the program. The engine itself does not
   * show that.
   */
  private readonly refusals: string[] = [];

  constructor(
    private readonly request: ConstructRequest,
    private readonly monitor: Monitor,
    private readonly providerUrn: string,
  ) {
    const ofInputs = [...request.getInputdependenciesMap().entries()].flatMap(([, each]) => each.getUrnsList());
    this.waitsFor = [...new Set([...request.getDependenciesList(), ...ofInputs])];
  }

  async declare(declared: readonly DeclaredTask[]): Promise<ConstructResponse> {
    const own = await this.monitor.register(this.component());
    if (own === undefined) {
      return new ConstructResponse();
    }
    this.urn = own.urn;
    const children = declareAll<Child, Child, Child>(declared, {
      task: (each) => this.child("ExtractionTask", each, {}),
      run: (run, taskId, rerunOn) => this.child("CloudRun", run, { ids: { taskId }, rerunOn }),
      export: (each, taskId, run) =>
        this.child("DataExport", each, {
          ids: { taskId, ...(each.readsRun && run !== undefined && { lotNo: run }) },
          after: run,
        }),
    });
    const tasks = await this.outputOf(children.tasks, ({ id }) => id || unknownText);
    const runs = await this.outputOf(children.runs, ({ id }) => id || unknownText);
    // The engine leaves out the outputs of what a command excludes.
    const exports = await this.outputOf(
      children.exports,
      ({ outputs: { file = unknownText, rowCount = unknownText } }) => ({
        file,
        rowCount,
      }),
    );
    if (this.refusals.length > 0) {
      throw new ProviderError(this.refusals.join("\n"));
    }
    return this.response({ tasks, runs, exports });
  }

  private component(): RegisterResourceRequest {
    const { request } = this;
    const resource = new RegisterResourceRequest()
      .setType(type)
      .setName(request.getName())
      .setParent(request.getParent())
      .setObject(structOf({}))
      .setDependenciesList([...this.waitsFor])
      .setAliasesList(request.getAliasesList())
      .setDeletedwith(request.getDeletedwith());
    for (const [name, reference] of request.getProvidersMap().entries()) {
      resource.getProvidersMap().set(name, reference);
    }
    // The children inherit these options from the engine.
    const isProtected = request.getProtect();
    const isRetained = request.getRetainondelete();
    isProtected !== undefined && resource.setProtect(isProtected);
    isRetained !== undefined && resource.setRetainondelete(isRetained);
    return resource;
  }

  private child(ownType: string, declared: DeclaredResource, needed: Needed): Child {
    return this.registered(ownType, declared, needed).catch((error: unknown) => {
      // Others may be in progress, and the engine waits for them only as long as the component does.
      this.refusals.push(`${ownType} "${declared.name}" was not declared: ${messageOf(error)}`);
      return undefined;
    });
  }

  /** Declares a child after all others that it needs; not at all if one of them has failed. */
  private async registered(
    ownType: string,
    { name, args, was, opts }: DeclaredResource,
    { ids = {}, rerunOn, after }: Needed,
  ): Child {
    const ofIds = await awaited(Object.values(ids));
    const ofRerun = rerunOn && (await awaited(rerunOn));
    const others = await awaited(after === undefined ? [] : [after]);
    if (ofIds === undefined || others === undefined || (rerunOn !== undefined && ofRerun === undefined)) {
      return undefined;
    }
    const byArgument = Object.fromEntries(Object.keys(ids).map((argument, index) => [argument, ofIds[index]]));
    const known = Object.fromEntries(
      Object.entries(byArgument).map(([argument, each]) => [argument, each?.id || unknown]),
    );
    const sent = linesAsOne(resourceNamed(ownType).args, args, (argument, list) => ({ [argument]: list }));
    const { values, secrets } = withoutVariables(sent);
    const wire: Properties = { ...encode({ ...known, ...values }, secrets) };
    if (ofRerun !== undefined) {
      wire.rerunOn = ofRerun.map(({ urn, id }) => referenceTo(urn, id));
    }
    const used = [...ofIds, ...(ofRerun ?? []), ...others].map(({ urn }) => urn);
    const request = this.custom(ownType, name)
      .setObject(structOf(wire))
      .setDependenciesList([...new Set([...this.waitsFor, ...used])])
      .setAliasesList(aliasesOf([...was.map(earlier), { type: typeToken(ownType, "dynamic") }]));
    for (const argument of Object.keys(wire)) {
      const of = argument === "rerunOn" ? (ofRerun ?? []) : [byArgument[argument] ?? []].flat();
      const urns = new RegisterResourceRequest.PropertyDependencies().setUrnsList(of.map(({ urn }) => urn));
      request.getPropertydependenciesMap().set(argument, urns);
    }
    opts.protect !== undefined && request.setProtect(opts.protect);
    opts.retainOnDelete !== undefined && request.setRetainondelete(opts.retainOnDelete);
    request.setIgnorechangesList(opts.ignoreChanges ?? []);
    return this.monitor.register(request);
  }

  private custom(ownType: string, name: string): RegisterResourceRequest {
    const { secretOutputs = [], isRun = false } = resourceNamed(ownType);
    const request = new RegisterResourceRequest()
      .setType(typeToken(ownType, "native"))
      .setName(name)
      .setParent(this.urn)
      .setCustom(true)
      .setAdditionalsecretoutputsList([...secretOutputs])
      .setDeletebeforereplace(isRun)
      .setDeletebeforereplacedefined(isRun);
    const provider = this.request.getProvidersMap().get("webextract");
    if (provider !== undefined) {
      return request.setProvider(provider);
    }
    // So the engine takes this process for the children, too.
    const [, version, source] = /^default(_\d+_\d+_\d+)?(_.+)?$/.exec(partsOfUrn(this.providerUrn).name) ?? [];
    version !== undefined && request.setVersion(ownPackage.version);
    source !== undefined && request.setPlugindownloadurl(pluginDownloadUrl());
    return request;
  }

  private async outputOf(children: ReadonlyMap<string, Child>, value: (child: Registered) => unknown) {
    const urns: string[] = [];
    const entries: [string, unknown][] = [];
    for (const [name, child] of children) {
      const found = await child;
      entries.push([name, found === undefined ? unknownText : value(found)]);
      found !== undefined && urns.push(found.urn);
    }
    return { value: Object.fromEntries(entries), urns };
  }

  private async response(outputs: Readonly<Record<string, { value: unknown; urns: string[] }>>) {
    const state: WireProperties = Object.fromEntries(Object.entries(outputs).map(([name, { value }]) => [name, value]));
    await this.monitor.registerOutputs(this.urn, state);
    const response = new ConstructResponse().setUrn(this.urn).setState(structOf(state));
    for (const [name, { urns }] of Object.entries(outputs)) {
      const of = new ConstructResponse.PropertyDependencies().setUrnsList(urns);
      response.getStatedependenciesMap().set(name, of);
    }
    return response;
  }
}

function earlier(name: string): AliasOf {
  return isUrn(name) ? { urn: name } : { name };
}

/** Undefined if one of them has failed. */
async function awaited(children: readonly Child[]): Promise<Registered[] | undefined> {
  const found = await Promise.all(children);
  return found.every((each) => each !== undefined) ? found : undefined;
}
