import type {
  CheckRequest,
  CreateRequest,
  DeleteRequest,
  DiffRequest,
  ReadRequest,
  UpdateRequest,
} from "@pulumi/pulumi/proto/provider_pb";
import {
  CheckFailure,
  CheckResponse,
  CreateResponse,
  DiffResponse,
  ReadResponse,
  UpdateResponse,
} from "@pulumi/pulumi/proto/provider_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { Properties } from "../../src/engine/serialization";
import { declaredKey, failedInputsKey } from "../../src/engine/serialization";
import type { Host } from "../../src/provider/host";
import { claimParts, layers } from "../../src/provider/layers/layers";
import { InitFailure, ProviderError } from "../../src/provider/providerErrors";
import type { Change, Written } from "../../src/provider/resourceSteps";
import { checkArguments, ResourceSteps } from "../../src/provider/resourceSteps";
import type { RunStep } from "../../src/provider/step";
import { importedBy } from "../../src/resources/adopt/imported";
import type { AnyResource } from "../../src/resources/index";
import { resourceNamed, timeoutAdvice } from "../../src/resources/index";
import { taskNamedBy } from "../../src/resources/ownership";
import { shownText } from "../../src/service/errors/foreignText";
import type { Problem } from "../../src/values/kinds";
import { canonical, holdsUnknown, isRecord, unknown } from "../../src/values/plain";
import { partsOfUrn } from "../../src/values/urn";
import { isAsWritten } from "./asWritten";
import { Declarations } from "./declarations";
import { inLanguage, pathInLanguage } from "./languageWords";
import type { Decoded, SecretPaths, WireProperties } from "./wireValues";
import { allSecret, decodeProperties, decodeStruct, encode, encodeStruct, fromStruct, withDerived } from "./wireValues";

export class ResourceCalls {
  private readonly declarations: Declarations;

  constructor(
    readonly host: Host,
    /** A provider that the program declares has one account, so its resources have no profile. */
    private readonly isExplicit: boolean,
  ) {
    this.declarations = new Declarations(host);
  }

  async check(request: CheckRequest): Promise<CheckResponse> {
    const urn = request.getUrn();
    const { steps, resource } = this.kindOf(urn);
    const { [declaredKey]: wire, ...given } = fromStruct(request.getNews());
    const { declared } = decodeProperties({ declared: wire }).values;
    const news = decodeProperties(given);
    const olds = decodeStruct(request.getOlds());
    if (steps.isSkipped(news.values, urn)) {
      return new CheckResponse().setInputs(request.getNews());
    }
    const found: Problem[] = [];
    const { args: resolved, isSecret: isSecretHash } = this.declarations.resolve(
      resource,
      { urn, given: news.values, previous: olds.values },
      found,
    );
    if (this.isExplicit && resolved.profile !== undefined) {
      found.push({
        path: "profile",
        reason:
          "is given, and the resource has a provider of its own. A profile chooses an account of the default provider: remove one of the two",
      });
      delete resolved.profile;
    }
    const { args, problems } = await steps.check({ urn, given: resolved, previous: olds.values, declared });
    const all = [...found, ...problems];
    if (all.length === 0) {
      all.push(
        ...(await this.host.claimAccount(resolved.profile)),
        ...this.declarations.sharedFile(urn, args as Properties),
      );
    }
    if (all.length === 0) {
      const isNew = Object.keys(olds.values).length === 0;
      const isSecret = news.secrets.length > 0;
      this.declarations.noteChecked(urn, { resource, args: args as Properties, isSecret }, isNew);
    }
    const ofHash = allSecret(isSecretHash ? ["rerunOn"] : []);
    const secrets = [...withDerived(resource.args, news.secrets), ...ofHash];
    return new CheckResponse()
      .setInputs(encodeStruct(args, secrets))
      .setFailuresList(all.map((problem) => failureOf(problem, resource, news)));
  }

  async diff(request: DiffRequest): Promise<DiffResponse> {
    const urn = request.getUrn();
    const id = request.getId();
    const { steps, resource } = this.kindOf(urn);
    const { values: state } = decodeStruct(request.getOlds());
    const now = fromStruct(request.getNews());
    const { values: args } = decodeProperties(now);
    if (failedInputsKey in now) {
      return diffResponse({ is: "none" }, false);
    }
    const before = await this.checkedForm(resource, fromStruct(request.getOldInputs()));
    const change = replacedByUnknownTask(resource, state, args, await steps.diff({ urn, id, state, args }));
    const isChanged = canonical(before) !== canonical(now);
    this.declarations.noteDiff(urn, id, change.is === "compare" ? (isChanged ? "update" : "none") : change.is);
    return diffResponse(change, isChanged);
  }

  async create(request: CreateRequest): Promise<CreateResponse> {
    const urn = request.getUrn();
    const { steps, resource } = this.kindOf(urn, request.getPreview());
    const { values: args, secrets } = decodeStruct(request.getProperties());
    this.warnOfTimeout(resource, request);
    const written = await steps.create({ urn, args });
    // A preview knows the id of what is adopted, and then the program gives it to other resources.
    if (written.id !== "") {
      this.declarations.noteId(urn, written.id);
    }
    return new CreateResponse().setId(written.id).setProperties(stateOf(resource, written, secrets));
  }

  async update(request: UpdateRequest): Promise<UpdateResponse> {
    const urn = request.getUrn();
    const { steps, resource } = this.kindOf(urn, request.getPreview());
    const { values: args, secrets } = decodeStruct(request.getNews());
    const { values: state } = decodeStruct(request.getOlds());
    this.warnOfTimeout(resource, request);
    const written = await steps.update({ urn, id: request.getId(), state, args });
    return new UpdateResponse().setProperties(stateOf(resource, written, secrets));
  }

  async read(request: ReadRequest): Promise<ReadResponse> {
    const urn = request.getUrn();
    const id = request.getId();
    const { steps, resource } = this.kindOf(urn);
    const props = decodeStruct(request.getProperties());
    const inputs = decodeStruct(request.getInputs());
    if (Object.keys(props.values).length === 0 && Object.keys(inputs.values).length === 0) {
      if (this.host.config.settings.trialGroup !== undefined) {
        throw new ProviderError(
          `${resource.type} "${id}" cannot be imported, because webextract:trialGroup is set: a trial only has what it has made.`,
        );
      }
      const imported = await importedBy(resource, id, this.host.context(undefined, urn));
      const { args } = await checkArguments(resource, this.host, { given: imported.args, previous: {} });
      const found = await steps.read({ urn, id: imported.id, state: { ...args, ...imported.state } });
      if (found === undefined) {
        throw new ProviderError(`There is no ${resource.type} "${id}" at the service.`);
      }
      return (
        new ReadResponse()
          .setId(imported.id)
          .setProperties(stateStruct(resource, found.state, []))
          // As a program writes them, because the engine writes the program from them.
          .setInputs(encodeStruct(imported.args))
      );
    }
    const found = await steps.read({ urn, id, state: props.values });
    if (found === undefined) {
      return new ReadResponse();
    }
    return new ReadResponse()
      .setId(id)
      .setProperties(stateStruct(resource, found.state, props.secrets))
      .setInputs(encodeStruct(found.args, [...props.secrets, ...inputs.secrets]));
  }

  async delete(request: DeleteRequest): Promise<void> {
    const urn = request.getUrn();
    const { steps } = this.kindOf(urn);
    const { values: state } = decodeStruct(request.getProperties());
    await steps.delete({ urn, id: request.getId(), state });
  }

  private warnOfTimeout(resource: AnyResource, request: CreateRequest | UpdateRequest): void {
    if (request.getTimeout() > 0) {
      this.host.warnOnce(timeoutAdvice(resource), request.getUrn());
    }
  }

  private kindOf(urn: string, isPreview = false): { resource: AnyResource; steps: ResourceSteps } {
    const { ownType, type } = partsOfUrn(urn);
    if (ownType === "Manifest") {
      throw new ProviderError(
        "A Manifest is a component, and has nothing to import. Import its tasks, runs and exports by their own types, or adopt tasks in manifests: from.adoptTaskId.",
      );
    }
    const resource = resourceNamed(ownType ?? type);
    const order = this.declarations.keepOrder(isPreview);
    const host = (): Host => this.host;
    // The steps of a preview find what the up would refuse, and send nothing.
    const steps = isPreview
      ? new ResourceSteps(resource, host, [order, claimParts], previewed)
      : new ResourceSteps(resource, host, [order, ...layers]);
    return { resource, steps };
  }

  /** Arguments of the state as `check` leaves them. After an import, they are as a program writes them. */
  private async checkedForm(resource: AnyResource, inputs: WireProperties): Promise<WireProperties> {
    const { values, secrets } = decodeProperties(inputs);
    if (!isAsWritten({ is: "object", fields: resource.args }, values)) {
      return inputs;
    }
    const { args } = await checkArguments(resource, this.host, { given: values, previous: {} });
    return encode(args, withDerived(resource.args, secrets));
  }
}

function failureOf(
  { path, reason }: Problem,
  { args }: AnyResource,
  { values: given, secrets }: Decoded,
): CheckFailure {
  // The engine shows the value of the property that a failure names.
  const isShown = Object.hasOwn(given, path) && isShort(given[path]) && !secrets.some(([name]) => name === path);
  // It names it as the schema does.
  const at = pathInLanguage(path, args);
  const text = `${isShown && at === path ? "" : `${at} `}${inLanguage(reason)}`;
  return new CheckFailure().setProperty(isShown ? path : "").setReason(shownText(text));
}

const longestShown = 40;

function isShort(value: unknown): boolean {
  return typeof value === "string"
    ? value.length <= longestShown && shownText(value) === value
    : typeof value === "number" || typeof value === "boolean";
}

/**
 * A task that is not known yet is a new one, because the id of a task that stays is known. Without a replace, a preview
 * would show an update of a resource that will be replaced.
 */
function replacedByUnknownTask(resource: AnyResource, state: Properties, args: Properties, change: Change): Change {
  if (change.is !== "compare" && change.is !== "update") {
    return change;
  }
  const replaces = (["taskId", "sourceTaskId", "from"] as const).filter((name) => {
    const isIdentity = name === "taskId" ? resource.args.taskId?.replaces === true : name in resource.args;
    const named = name === "from" ? sourceOf(args.from) : name === "sourceTaskId" ? sourceOf(args) : args.taskId;
    return isIdentity && named === unknown && !holdsUnknown(state[name]);
  });
  return replaces.length === 0 ? change : { is: "replace", replaces, deleteFirst: false };
}

/** With `adoptTaskId`, another source changes nothing. */
function sourceOf(source: unknown): unknown {
  const { sourceTaskId, adoptTaskId } = isRecord(source) ? source : {};
  return adoptTaskId === undefined ? sourceTaskId : undefined;
}

/** What a preview knows of a resource after a create or an update: its arguments, and its id if that is known. */
const previewed: RunStep = async ({ resource, args, id }) => {
  const { idIs } = resource;
  const named = id ?? (idIs === "taskId" ? taskNamedBy(args) : args.adoptLotNo);
  const known = typeof named === "string" ? named : "";
  const outputs = Object.fromEntries(resource.outputs.map((name) => [name, unknown]));
  // The id of an export is its first file.
  return { id: known, state: { ...args, ...outputs, [idIs]: known === "" || idIs === "file" ? unknown : known } };
};

/** @param isChanged whether the arguments differ, or are secret now: the state must encrypt them */
function diffResponse(change: Change, isChanged: boolean): DiffResponse {
  const response = new DiffResponse();
  const { DIFF_NONE, DIFF_SOME, DIFF_UNKNOWN } = DiffResponse.DiffChanges;
  if (change.is === "none" || (change.is === "compare" && !isChanged)) {
    return response.setChanges(DIFF_NONE);
  }
  // With DIFF_UNKNOWN, the engine compares the arguments itself, and names the paths that differ.
  response.setChanges(isChanged ? DIFF_UNKNOWN : DIFF_SOME);
  if (change.is === "replace") {
    response.setReplacesList(change.replaces).setDeletebeforereplace(change.deleteFirst);
  }
  return response;
}

function stateStruct(resource: AnyResource, state: Properties, secrets: SecretPaths): Struct {
  const ofOutputs = allSecret(resource.secretOutputs ?? []);
  return encodeStruct(state, [...withDerived(resource.args, secrets), ...ofOutputs]);
}

function stateOf(resource: AnyResource, { id, state, failure }: Written, secrets: SecretPaths): Struct {
  const struct = stateStruct(resource, state, secrets);
  if (failure !== undefined) {
    throw new InitFailure(failure, id, fromStruct(struct));
  }
  return struct;
}
