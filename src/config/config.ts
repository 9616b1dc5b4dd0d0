import { join } from "node:path";
import type { ServiceTraits, Statuses } from "../resources/resource";
import { statusInTwo, withStatuses } from "../resources/run/statuses";
import { defaultTokenStore } from "../service/environment";
import { Redactor } from "../service/errors/hideWords";
import type { ServiceClientOptions } from "../service/options";
import { namesSameService, serviceAddress } from "../service/serviceAddress";
import { optionProblems } from "../service/settings";
import { isOneStore, isStoreAddress, storeAddressProblem } from "../store/storeAddress";
import { messageOf } from "../values/errors";
import type { Problem } from "../values/kinds";
import { describeShape } from "../values/kinds";
import type { ClientValues, ConfigKey, ConfigValues, Key } from "./configKeys";
import { clientKeys, configKeys, credentialKeys, isOff, keyNames, profileKeys } from "./configKeys";
import { parse } from "./parse";
import { fromProject } from "./projectFolder";
import { describeUnread, unreadVariables } from "./variables";

interface ParsedConfig {
  config: ProviderConfig;
  problems: string[];
  /** The one of the problems that there is no service: none for resources with a provider of their own. */
  noService: string | undefined;
}

interface GivenConfig extends ParsedConfig {
  /** Of variables that nothing reads, and of a label that may have been another one. */
  warning: string | undefined;
}

/** Reads the string of a key, without the namespace. */
export type ReadKey = (key: ConfigKey) => string | undefined;

/** The parsed configuration. Keys that the namespace `webextract` does not have come from the environment. */
export interface ProviderConfig {
  settings: ServiceTraits;
  /**
   * Whether what a state or the journal names is the present service, or an address that it had before.
   * @param service the present one, in the form of `serviceAddress`
   */
  isPresent(written: string, service: string): boolean;
  /** Folder or store of the journal; undefined when it is switched off, or has none. */
  journal: string | undefined;
  /** Where the journal was before the token store had a place: what it still has must not be sent twice either. */
  formerJournal?: string | undefined;
  /** Why the journal has no folder, and what to set: what must not be sent twice cannot be sent then. */
  noJournal: string | undefined;
  /** Whether the engine saves the state only at the end of a command. */
  skipsCheckpoints: boolean;
  /** Whether the classes run on the native plugin. */
  native: boolean;
  /** The run label of each source that has one. A program refuses two that differ. */
  runLabels: readonly string[];
  /** Why no run can start, if a source has an empty label. */
  emptyLabel: string | undefined;
  /** Hides each credential of the configuration and of the environment, of all profiles. */
  redact(text: string): string;
  /** Undefined for the account of the top level. */
  accounts: readonly (string | undefined)[];
  /** Why no service can be reached with this profile, or without a profile. */
  profileProblem(profile: string | undefined): string | undefined;
  /**
   * Options of the client for a profile, or those of the top level without a profile.
   * @throws Error when there is no such profile
   */
  clientOptions(profile: string | undefined): ServiceClientOptions;
}

const defaultStatuses: Statuses = {
  finished: ["finished", "completed", "done"],
  failed: ["failed", "error"],
  stopped: ["stopped"],
};

/**
 * Parses the configuration. The program calls this in the preview and reports the problems once; the provider uses the
 * configuration.
 * @returns the configuration, and its problems as sentences. A sentence shows a refused value only if it is short and
 * its key is none of a credential.
 */
export function parseConfig(read: ReadKey, environment: NodeJS.ProcessEnv = process.env): ParsedConfig {
  const problems: string[] = [];
  const inConfig = valuesOf(read, (name) => `webextract:${name}`, problems);
  const variableOf = (name: ConfigKey): string => configKeys[name].environment;
  const inEnvironment = valuesOf((name) => environment[variableOf(name)], variableOf, problems);
  const values: ConfigValues = { ...inEnvironment, ...inConfig };

  const fromEnvironment = (name: ConfigKey): boolean =>
    inConfig[name] === undefined && inEnvironment[name] !== undefined;
  const settingName = (name: string): string =>
    fromEnvironment(name as ConfigKey) ? variableOf(name as ConfigKey) : `webextract:${name}`;
  const where = (profile: string): string =>
    `${inConfig.profiles?.[profile] === undefined ? variableOf("profiles") : "webextract:profiles"}.${profile}`;
  const profiles = { ...inEnvironment.profiles, ...inConfig.profiles };
  const movedFrom = [inConfig.movedFrom, inEnvironment.movedFrom].flatMap((addresses) => addresses ?? []);
  // The top level and a profile that is called `default`.
  const sharesDefault = values.baseUrl !== undefined && Object.hasOwn(profiles, "default");
  const ofClient = { ...clientValuesOf(values), movedFrom, sharesDefault, settingName };
  const optionsOf = optionsByProfile(ofClient, profiles, where, problems);
  for (const [profile, options] of optionsOf) {
    // The top level needs no service if profiles have theirs.
    const isNeeded = profile !== undefined || optionsOf.size === 1 || options.baseUrl !== undefined;
    problems.push(...clientProblems(profile, options, isNeeded));
  }
  const ofJournal = storeAddressProblem(values.journal) ?? otherStore(values);
  if (ofJournal !== undefined) {
    problems.push(`${settingName("journal")} ${ofJournal}.`);
  }
  const inTwo = statusInTwo(values.statuses);
  if (inTwo !== undefined) {
    problems.push(`${settingName("statuses")} ${inTwo}.`);
  }
  // For settings that permit something, both sources count, because a refresh and a destroy use the configuration of
  // the last up.
  const forced = [inConfig.forceDestroy, inEnvironment.forceDestroy].flat();
  if (movedFrom.some((address) => !/^https?:/.test(serviceAddress(address)))) {
    problems.push(`webextract:movedFrom (${variableOf("movedFrom")}) must be a list of URLs such as https://host.`);
  }
  const config: ProviderConfig = {
    settings: {
      actionTypes: values.actionTypes ?? [],
      markScope: values.markScope ?? "task",
      statuses: withStatuses(defaultStatuses, values.statuses),
      pageSize: values.pageSize,
      startsWithoutLotNo: values.startsWithoutLotNo,
      allowedFolders: [inConfig.allowedFolders, inEnvironment.allowedFolders].flatMap((folders) => folders ?? []),
      packagesFolder: values.packagesFolder,
      trialGroup: values.trialGroup,
      s3ForcePathStyle: values.s3ForcePathStyle,
      forceDestroy: (taskId) => forced.includes(true) || forced.includes(taskId),
    },
    isPresent: (written, service) =>
      [service, ...movedFrom.map(serviceAddress)].some((address) => namesSameService(written, address)),
    ...journalFolder(values, environment),
    skipsCheckpoints: /^(?:1|true)$/i.test(environment.PULUMI_SKIP_CHECKPOINTS ?? ""),
    native: values.native === true,
    runLabels: [inConfig.runLabel, inEnvironment.runLabel].flatMap((label) => label ?? []),
    emptyLabel: emptyLabel({ "webextract:runLabel": read("runLabel"), ...environment }),
    redact: redactorOf([inEnvironment, inConfig]).scrub,
    ...profilesIn(optionsOf),
  };
  return { config, problems: [...new Set(problems)], noService: problems.find((each) => each === missingBaseUrl) };
}

/** The keys of a stack's configuration that are ours begin so. */
export const namespace = "webextract:";

/** The names of the keys in the namespace, among all keys of a stack's configuration. */
export function namesInNamespace(keys: Iterable<string>): string[] {
  return [...keys].filter((key) => key.startsWith(namespace)).map((key) => key.slice(namespace.length));
}

/** What the engine itself reads in the namespace of a plugin, or adds to the arguments of a provider. */
const ofEngine = ["version", "pluginDownloadURL", "pluginChecksums", "parameterization", "__internal"];

/**
 * Parses the configuration where the program or the engine gives it. Its problems are also names that are not keys,
 * most often misspelled keys, misspelled variables, and a run label that two sources set.
 * @param names all names in the namespace
 */
export function parseGivenConfig(
  read: ReadKey,
  names: readonly string[],
  environment: NodeJS.ProcessEnv = process.env,
): GivenConfig {
  const { config, problems, noService } = parseConfig(read, environment);
  const { misspelled, others } = unreadVariables(environment);
  problems.push(...misspelled);
  if (new Set(config.runLabels).size > 1) {
    problems.push(`webextract:runLabel and ${configKeys.runLabel.environment} differ. Set one of them.`);
  }
  const unknown = names.filter((name) => !Object.hasOwn(configKeys, name) && !ofEngine.includes(name));
  problems.push(...unknown.map((name) => `webextract:${name} is not known. Known: ${keyNames.join(", ")}.`));
  const warnings = [describeUnread(others), shortNumber(read("runLabel"))].flatMap((each) => each ?? []);
  return { config, problems, noService, warning: warnings.length === 0 ? undefined : warnings.join("\n") };
}

/** Pulumi hides whether a number in the configuration had quotes. */
function shortNumber(label: string | undefined): string | undefined {
  return /^\d{1,4}$/.test(label ?? "")
    ? `webextract:runLabel is "${label}". Without quotes, 007 in the configuration would be 7 too. Add a letter, or set ${configKeys.runLabel.environment}.`
    : undefined;
}

/** A job whose label is empty would be green for weeks without a run. */
function emptyLabel(sources: NodeJS.ProcessEnv): string | undefined {
  const name = ["webextract:runLabel", configKeys.runLabel.environment].find((each) => sources[each] === "");
  return name && `${name} is set and empty, so no run would start. Set it to the label of the runs, or remove it.`;
}

/** Characters of a refused value that a problem shows. */
const longestShown = 20;

/** The values of one source. An empty string counts as not set. */
function valuesOf(
  read: (name: ConfigKey) => string | undefined,
  nameOf: (name: ConfigKey) => string,
  problems: string[],
): ConfigValues {
  const entries = keyNames.flatMap((name) => {
    const raw = read(name);
    if (raw === undefined || raw === "") return [];
    const value = parsed(configKeys[name], raw, nameOf(name), problems);
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(entries);
}

/** The value of a key; undefined, and a problem, if the key does not allow it. */
function parsed(
  { kind, allowed, pattern, isSecret, inProject }: Key,
  raw: string,
  name: string,
  problems: string[],
): unknown {
  const found: Problem[] = [];
  const value = parse(kind, raw, found);
  if (value !== undefined && (pattern?.test(raw) ?? true)) {
    return inProject ? fromProject(raw) : value;
  }
  // A long one can be a credential in the wrong place, and a map or a list can contain one or be one.
  const isShown = isSecret !== true && kind.is !== "map" && raw.length <= longestShown && !/[{["]/.test(raw);
  const ofPath = found.flatMap(({ reason }) => /; got a path .*/.exec(reason) ?? [])[0];
  const [, date, time] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) \+0000 UTC$/.exec(raw) ?? [];
  // Pulumi makes this of a date without quotes.
  const ofDate =
    date &&
    `; got the date ${date}${time === "00:00:00" ? `: write "${date}", in quotes` : ` ${time}: write it in quotes`}`;
  const got = ofPath ?? ofDate ?? (isShown ? `; got ${JSON.stringify(raw)}` : "");
  problems.push(`${name} must be ${allowed ?? describeShape(kind)}${got}.`);
  return undefined;
}

function clientValuesOf(values: ConfigValues): ServiceClientOptions {
  const ofClient: ClientValues = Object.fromEntries(
    Object.entries(values).filter(([name]) => Object.hasOwn(clientKeys, name)),
  );
  // clientProblems reports a missing base address.
  return { ...ofClient, baseUrl: ofClient.baseUrl as string };
}

/** Options by the name of the profile; `undefined` for the top level. */
type OptionsByProfile = Map<string | undefined, ServiceClientOptions>;

function optionsByProfile(
  top: ServiceClientOptions & Required<Pick<ServiceClientOptions, "settingName">>,
  profiles: Record<string, Record<string, unknown>>,
  whereIs: (profile: string) => string,
  problems: string[],
): OptionsByProfile {
  const { accessToken, refreshToken, apiKey, credentialCommand, ...shared } = top;
  const optionsOf: OptionsByProfile = new Map([[undefined, top]]);
  for (const [profile, fields] of Object.entries(profiles)) {
    // A profile is another account, so it never gets the credentials of the top level.
    const where = whereIs(profile);
    const own = profileOptions(where, fields, problems);
    // How the client's errors name its options: a profile has an option of the top level if it has none of its own,
    // except for credentials.
    const settingName = (option: string): string =>
      Object.hasOwn(own, option) || isCredential(option) ? `${where}.${option}` : shared.settingName(option);
    optionsOf.set(profile, { ...shared, ...own, profile, settingName });
  }
  return optionsOf;
}

function profileOptions(
  whereIs: string,
  fields: Record<string, unknown>,
  problems: string[],
): Partial<ServiceClientOptions> {
  const options: Record<string, string> = {};
  for (const [name, value] of Object.entries(fields)) {
    const where = `${whereIs}.${name}`;
    if (!profileKeys.includes(name)) {
      problems.push(`${where} is not known. Known: ${profileKeys.join(", ")}.`);
    } else if (typeof value !== "string" || value === "") {
      problems.push(`${where} must be a non-empty string.`);
    } else {
      const key: Key = { ...configKeys[name as ConfigKey] };
      const own = key.kind.is === "string" ? parsed(key, value, where, problems) : value;
      if (typeof own === "string") options[name] = own;
    }
  }
  return options;
}

/** Of each source, because both can contain the same profile with other credentials. */
function redactorOf(sources: readonly ConfigValues[]): Redactor {
  const redactor = new Redactor();
  const accounts = sources.flatMap((values) => [values, ...Object.values(values.profiles ?? {})]);
  const words = accounts.flatMap((account: Record<string, unknown>) => credentialKeys.map((name) => account[name]));
  for (const word of words.filter((each) => typeof each === "string")) {
    redactor.add(word);
  }
  return redactor;
}

function profilesIn(
  optionsOf: OptionsByProfile,
): Pick<ProviderConfig, "accounts" | "profileProblem" | "clientOptions"> {
  const known = [...optionsOf.keys()].filter((name) => name !== undefined).join(", ") || "none";
  const noProfile = (name: string): string => `There is no profile "${name}" in webextract:profiles. Known: ${known}.`;
  return {
    accounts: [...optionsOf.keys()],
    profileProblem(profile) {
      if (profile !== undefined) {
        return optionsOf.has(profile) ? undefined : noProfile(profile);
      }
      return optionsOf.get(undefined)?.baseUrl !== undefined || optionsOf.size === 1
        ? undefined
        : `No profile is given, and webextract:baseUrl is not configured. Name a profile (known: ${known}), or set webextract:baseUrl.`;
    },
    clientOptions(profile) {
      const options = optionsOf.get(profile);
      if (options === undefined) {
        throw new Error(
          `${noProfile(profile ?? "")} Resources that were made with it need it until they are deleted. Add it to webextract:profiles again and run "pulumi up" ` +
            `(a refresh or a destroy uses the configuration of the last up), or set it in WEBEXTRACT_PROFILES, which takes effect at once.`,
        );
      }
      return options;
    },
  };
}

function isCredential(option: string): boolean {
  return option === "credentialCommand" || credentialKeys.some((name) => name === option);
}

/** The advice about a missing baseUrl. */
export const setBaseUrl =
  "Set it with: pulumi config set webextract:baseUrl <address of the service>, or in WEBEXTRACT_BASE_URL.";

const missingBaseUrl = missingAt("webextract:");

function missingAt(where: string): string {
  return `${where}baseUrl is missing. ${setBaseUrl}`;
}

function clientProblems(profile: string | undefined, options: ServiceClientOptions, isNeeded: boolean): string[] {
  const where = profile === undefined ? "webextract:" : `webextract:profiles.${profile}.`;
  if (options.baseUrl === undefined) {
    return isNeeded ? [missingAt(where)] : [];
  }
  const { settingName = (option) => option } = options;
  return optionProblems(options).map((problem) => problem.replace(/^\w+/, settingName));
}

export const noCredential = "In a preview, reads use only accessToken or credentialCommand, and neither is configured.";

/**
 * The options of the client for a read in a preview. It must not use up a refresh token, because it can run on a
 * machine that does not keep the next token. Undefined if there is no other credential.
 */
export function previewReadOptions(options: ServiceClientOptions): ServiceClientOptions | undefined {
  const { accessToken, credentialCommand, credentials } = options;
  const isPossible = accessToken !== undefined || credentialCommand !== undefined || credentials === "apiKey";
  return isPossible ? { ...options, refreshToken: undefined } : undefined;
}

/** A job that has access to one of two stores would send a request twice, or use a spent token. */
function otherStore({ journal, tokenStore }: ConfigValues): string | undefined {
  return isStoreAddress(journal) && isStoreAddress(tokenStore) && !isOneStore(journal, tokenStore)
    ? `is in another store than the token store, ${tokenStore}. One stack has one store: remove it, or name the same one`
    : undefined;
}

/** By default in the token store's folder, so that a CI job that saves this folder saves the journal too. */
function journalFolder(
  { journal, tokenStore }: ConfigValues,
  environment: NodeJS.ProcessEnv,
): Pick<ProviderConfig, "journal" | "formerJournal" | "noJournal"> {
  if (journal !== undefined) {
    return { journal: isOff.test(journal) ? undefined : fromProject(journal), noJournal: undefined };
  }
  const followed = isStoreAddress(tokenStore) ? tokenStore : tokenStore && join(tokenStore, "journal");
  try {
    const own = join(defaultTokenStore(environment), "journal");
    return { journal: followed ?? own, formerJournal: followed && own, noJournal: undefined };
  } catch (error) {
    if (followed !== undefined) return { journal: followed, noJournal: undefined };
    const variable = configKeys.journal.environment;
    return { journal: undefined, noJournal: `webextract:journal (${variable}) is missing: ${messageOf(error)}` };
  }
}
