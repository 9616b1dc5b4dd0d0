import type { ProviderConfig } from "../../../src/config/config";
import { namesInNamespace, namespace, parseGivenConfig } from "../../../src/config/config";
import { configKeys } from "../../../src/config/configKeys";
import { optionsFromEnvironment } from "../../../src/service/environment";
import type { ServiceClientOptions } from "../../../src/service/options";
import { serviceAddress } from "../../../src/service/serviceAddress";
import { entryOf } from "../../../src/values/plain";
import { usageError } from "../exitCodes";
import { stackConfig } from "./pulumi";

/** The values of the connection's options. */
export interface ConnectionFlags {
  baseUrl?: string;
  /** Null for the default account, also if the environment names another one. */
  profile?: string | null;
  stack?: string;
  /** Why there is no selected stack although the folder has a project. */
  unreadStack?: string;
}

/** The configuration of a command. */
export interface Connection {
  config: ProviderConfig;
  /** Of the client. */
  options: ServiceClientOptions;
  /** The account, if it is not the default one. */
  profile?: string;
  /** Of the configuration. */
  warning?: string;
}

/** The configuration and what is wrong with it. It has no options if no service is configured, or no such profile. */
interface FoundConnection
  extends Pick<Connection, "config" | "profile" | "warning">,
    Partial<Pick<Connection, "options">> {
  problems: string[];
}

/**
 * The configuration as the provider would read it: of the stack if one is named, and of the environment for keys that
 * the stack does not have. The command line's own address counts first.
 * @throws CliError that names every problem
 */
export async function connectionOf(flags: ConnectionFlags, signal?: AbortSignal): Promise<Connection> {
  const { config, options, profile, warning, problems } = await findConnection(flags, signal);
  if (options === undefined || problems.length > 0) {
    throw usageError(problems.join(" "));
  }
  return { config, options, profile, warning };
}

/** @throws CliError if the stack cannot be read */
export async function findConnection(
  { baseUrl, profile: given, stack, unreadStack }: ConnectionFlags,
  signal?: AbortSignal,
): Promise<FoundConnection> {
  const ofStack = stack === undefined ? undefined : await stackConfig(stack, signal);
  const { config, problems, noService, warning } = parseGivenConfig(
    (name) => (name === "baseUrl" && baseUrl !== undefined ? baseUrl : ofStack?.get(namespace + name)),
    namesInNamespace(ofStack?.keys() ?? []),
  );
  const found = problems
    .filter((problem) => problem !== noService)
    .map((problem) => (baseUrl === undefined ? problem : problem.replace(/^webextract:baseUrl /, "--base-url ")));
  const hasProfiles = config.accounts.length > 1;
  const ofEnvironment = found.length === 0 ? optionsFromEnvironment().profile : undefined;
  // Without profiles, the name of the environment separates the stored tokens only, as for the client alone.
  const named = given === undefined && hasProfiles ? ofEnvironment : given;
  const profile = named ?? undefined;
  const unknown = profile === undefined ? undefined : config.profileProblem(profile);
  if (unknown !== undefined) {
    const remedy = given === undefined ? "Correct WEBEXTRACT_PROFILE, or add" : "Add";
    found.push(`${unknown} ${remedy} it to webextract:profiles of the stack, or to WEBEXTRACT_PROFILES.`);
    return { config, problems: found };
  }
  const configured = config.clientOptions(profile);
  const options: ServiceClientOptions = {
    ...configured,
    baseUrl: baseUrl ?? configured.baseUrl,
    profile: profile ?? (hasProfiles ? undefined : ofEnvironment),
    settingName: (option) => settingName(option, ofStack, configured),
  };
  if (options.baseUrl === undefined) {
    const noStack = stack === undefined ? "no Pulumi stack is selected in this folder" : `stack "${stack}" names none`;
    const why = unreadStack === undefined ? `, and ${noStack}. Set` : `. ${unreadStack} Or set`;
    found.push(`No service is configured${why} WEBEXTRACT_BASE_URL, or use --base-url URL or --stack NAME.`);
    return { config, problems: found };
  }
  return { config, options, profile, warning, problems: found };
}

/** How errors name an option: as the key of the stack if that has it or one is named, otherwise as the variable. */
function settingName(
  option: string,
  ofStack: ReadonlyMap<string, string> | undefined,
  { settingName: ofConfig = (name) => name, profile }: ServiceClientOptions,
): string {
  if (ofStack !== undefined || profile !== undefined) {
    return ofConfig(option);
  }
  return entryOf<{ environment: string }>(configKeys, option)?.environment ?? ofConfig(option);
}

/** The address of the service. */
export function serviceOf({ options }: Connection): string {
  return serviceAddress(options.baseUrl);
}
