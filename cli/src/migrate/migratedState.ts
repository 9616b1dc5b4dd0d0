import { randomUUID } from "node:crypto";
import { resources as classes } from "../../../src/resources/index";
import { isPlainMap } from "../../../src/values/plain";
import { providerKey, providerText, stateVersion } from "../../../src/values/stateContract";
import type { EngineKind } from "../../../src/values/urn";
import { defaultProviderName, partsOfUrn, typeToken, urnAs } from "../../../src/values/urn";
import { CliError } from "../exitCodes";

type Properties = Record<string, unknown>;

interface StateResource extends Properties {
  urn: string;
  type: string;
  provider?: string;
  /** The engine's own providers have none. */
  parent?: string;
}

/** A state after the conversion, and how many resources of each class were converted. */
export interface Migrated {
  state: Properties;
  counts: ReadonlyMap<string, number>;
}

/** What a provider of each kind is called in a state. */
const providerTypes: Readonly<Record<EngineKind, string>> = {
  dynamic: "pulumi:providers:pulumi-nodejs",
  native: "pulumi:providers:webextract",
};

const configPrefix = "webextract:";

/** What `pulumi stack export` printed for engines of today. */
const knownVersions = [3, 4];

/**
 * Converts the resources of this package in a state, as `pulumi stack export` prints it, to the other kind. Secrets
 * stay encrypted. All other resources stay as they are, except that they name the converted ones by their new URNs.
 * @param version of the native plugin
 * @throws CliError that says why the state cannot be converted
 */
export function migratedState(exported: unknown, to: EngineKind, version: string): Migrated {
  const { state, deployment, resources } = readState(exported);
  const moving = new Set(resources.filter(({ urn }) => isOwn(partsOfUrn(urn).ownType) && converted(urn, to) !== urn));
  const [first] = moving;
  if (first === undefined) {
    return { state, counts: new Map() };
  }
  refuseUnconvertible(resources, [...moving], to);
  const counts = new Map<string, number>();
  for (const type of [...moving].map(({ urn }) => partsOfUrn(urn).ownType ?? "").sort()) {
    counts.set(type, (counts.get(type) ?? 0) + 1);
  }
  const provider = defaultProvider(resources, first, to, version);
  const urns = new Map(resources.map(({ urn }) => [urn, converted(urn, to)]));
  const reference = referenceTo(provider);
  const after = resources.map((resource) => {
    const renamed = withUrns(resource, urns) as StateResource;
    return moving.has(resource) ? asKind(renamed, to, reference) : renamed;
  });
  const position = after.findIndex((each) => each.provider === reference);
  const all = resources.includes(provider) ? after : after.toSpliced(position, 0, provider);
  return {
    state: { ...state, deployment: { ...deployment, resources: all.filter(isUsed) } },
    counts,
  };
}

/** The program can have dynamic resources of its own whose types look like those of the package. */
function isOwn(ownType: string | undefined): boolean {
  return ownType !== undefined && Object.hasOwn(classes, ownType);
}

function converted(urn: string, to: EngineKind): string {
  return urnAs(urn, to, isOwn);
}

function readState(exported: unknown): { state: Properties; deployment: Properties; resources: StateResource[] } {
  const deployment = isPlainMap(exported) ? exported.deployment : undefined;
  if (!isPlainMap(exported) || !isPlainMap(deployment)) {
    throw new CliError('The state cannot be read: it is not what "pulumi stack export" prints. Nothing was changed.');
  }
  if (!knownVersions.includes(exported.version as number)) {
    throw new CliError(
      `The state has the format ${String(exported.version)} of a newer engine. This version of webextract knows ${knownVersions.join(" and ")}. Nothing was changed.`,
    );
  }
  const pending: unknown = deployment.pending_operations ?? [];
  if (!Array.isArray(pending) || pending.length > 0) {
    throw new CliError(
      "The state has pending operations of a command that was interrupted. Nothing was changed. Run " +
        '"pulumi refresh --clear-pending-creates" first: the next up takes over what a pending create has made.',
    );
  }
  const resources = (Array.isArray(deployment.resources) ? deployment.resources : []) as StateResource[];
  return { state: exported, deployment, resources };
}

function refuseUnconvertible(all: readonly StateResource[], moving: readonly StateResource[], to: EngineKind): void {
  const taken = new Set(all.map(({ urn }) => urn));
  const hasOwn = ({ provider }: StateResource) => !isEngineMade(all.find((each) => referenceTo(each) === provider));
  const explicit = new Set(to === "dynamic" ? moving.filter(hasOwn) : []);
  const problems = moving.flatMap((resource) => {
    const { ownType, name } = partsOfUrn(resource.urn);
    const title = `${ownType} "${name}"`;
    const { stateVersion: written } = propertiesOf(resource, "outputs");
    const isNewer = typeof written === "number" && written > stateVersion;
    return [
      ...(isNewer ? [`${title} was written by a newer version of pulumi-webextract.`] : []),
      ...(explicit.has(resource) ? [`${title} has an explicit provider, which dynamic resources cannot have.`] : []),
      ...(taken.has(converted(resource.urn, to))
        ? [
            `${title} is in the state under both types: ${resource.urn} and ${converted(resource.urn, to)}. ` +
              "Take the one that the program no longer declares out with: pulumi state delete URN",
          ]
        : []),
    ];
  });
  if (explicit.size > 0) {
    problems.push('Remove the option provider, with webextract:native true for classes, and run "pulumi up" first.');
  }
  if (problems.length > 0) {
    throw new CliError(`${problems.join("\n")}\nNothing was changed.`);
  }
}

/**
 * The provider of the converted resources: the one that the state has already, or a new one with the configuration of
 * the present one.
 */
function defaultProvider(
  resources: readonly StateResource[],
  first: StateResource,
  to: EngineKind,
  version: string,
): StateResource {
  const type = providerTypes[to];
  const present = resources.find((each) => each.type === type && isEngineMade(each));
  if (present !== undefined) {
    return present;
  }
  const earlier = resources.find((each) => referenceTo(each) === first.provider);
  const config = configOf(propertiesOf(earlier ?? first, "inputs"), to);
  const inputs = to === "native" ? { ...config, version } : config;
  const [stack, project] = first.urn.split("::");
  const name = defaultProviderName(to === "native" ? version : undefined);
  const now = new Date().toISOString();
  return {
    urn: [stack, project, type, name].join("::"),
    custom: true,
    id: randomUUID(),
    type,
    inputs,
    outputs: inputs,
    created: now,
    modified: now,
  };
}

/**
 * A dynamic provider has the keys with their namespace, and those of all other namespaces; a native one has its own
 * keys without it.
 */
function configOf(inputs: Properties, to: EngineKind): Properties {
  const entries = Object.entries(inputs).flatMap(([key, value]) => {
    if (to === "dynamic") {
      return key === "version" || key.startsWith("__") ? [] : [[`${configPrefix}${key}`, value]];
    }
    return key.startsWith(configPrefix) ? [[key.slice(configPrefix.length), value]] : [];
  });
  return Object.fromEntries(entries);
}

function asKind(resource: StateResource, to: EngineKind, provider: string): StateResource {
  const ownType = partsOfUrn(resource.urn).ownType ?? "";
  const asOwn = (properties: Properties): Properties => {
    const { [providerKey]: _text, ...others } = properties;
    return to === "native" ? others : { ...others, [providerKey]: providerText(ownType) };
  };
  const { [providerKey]: _none, ...dependencies } = propertiesOf(resource, "propertyDependencies");
  return {
    ...resource,
    type: typeToken(ownType, to),
    provider,
    inputs: asOwn(propertiesOf(resource, "inputs")),
    outputs: asOwn(propertiesOf(resource, "outputs")),
    propertyDependencies: to === "native" ? dependencies : { ...dependencies, [providerKey]: [] },
  };
}

/** The value with each text that is a URN of the state replaced. */
function withUrns(value: unknown, urns: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") {
    return urns.get(value) ?? value;
  }
  if (Array.isArray(value)) {
    return value.map((each) => withUrns(each, urns));
  }
  return isPlainMap(value)
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withUrns(each, urns)]))
    : value;
}

/** Whether the program does not declare the provider. */
function isEngineMade(provider: StateResource | undefined): boolean {
  return (
    provider !== undefined && provider.parent === undefined && /^default(?:_|$)/.test(partsOfUrn(provider.urn).name)
  );
}

/** How resources name their provider. */
function referenceTo(provider: StateResource): string {
  return `${provider.urn}::${String(provider.id)}`;
}

/** Whether a resource is needed: a default provider that no resource has would show as a delete. */
function isUsed(resource: StateResource, _index: number, all: readonly StateResource[]): boolean {
  const isProvider = Object.values(providerTypes).includes(resource.type) && isEngineMade(resource);
  return !isProvider || all.some(({ provider }) => provider === referenceTo(resource));
}

function propertiesOf(resource: StateResource, name: "inputs" | "outputs" | "propertyDependencies"): Properties {
  const found = resource[name];
  return isPlainMap(found) ? found : {};
}
