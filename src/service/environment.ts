import { homedir, userInfo } from "node:os";
import { isAbsolute, join } from "node:path";
import { getProxyForUrl } from "proxy-from-env";
import { isExempt } from "./noProxy";
import type { ServiceClientOptions } from "./options";

/** The environment variables that {@link optionsFromEnvironment} reads, each with the option it sets. */
export const environmentVariables = {
  WEBEXTRACT_BASE_URL: "baseUrl",
  WEBEXTRACT_ACCESS_TOKEN: "accessToken",
  WEBEXTRACT_REFRESH_TOKEN: "refreshToken",
  WEBEXTRACT_API_KEY: "apiKey",
  WEBEXTRACT_CREDENTIAL_COMMAND: "credentialCommand",
  WEBEXTRACT_TOKEN_STORE: "tokenStore",
  WEBEXTRACT_PROFILE: "profile",
  WEBEXTRACT_LOG: "logLevel",
  WEBEXTRACT_LOG_FORMAT: "logFormat",
} as const;

/**
 * Options from environment variables, without those that are unset or empty. `baseUrl` can be missing: the caller
 * reports that.
 * @throws TypeError if WEBEXTRACT_LOG or WEBEXTRACT_LOG_FORMAT is none of its words
 */
export function optionsFromEnvironment(env: NodeJS.ProcessEnv = process.env): Partial<ServiceClientOptions> {
  const found: Partial<Record<(typeof environmentVariables)[keyof typeof environmentVariables], string>> = {};
  for (const [variable, option] of Object.entries(environmentVariables)) {
    const value = env[variable];
    if (value !== undefined && value !== "") found[option] = value;
  }
  const { logLevel, logFormat, ...rest } = found;
  return {
    ...rest,
    ...(logLevel && { logLevel: oneOf("WEBEXTRACT_LOG", ["silent", "debug", "trace"], logLevel) }),
    ...(logFormat && { logFormat: oneOf("WEBEXTRACT_LOG_FORMAT", ["text", "json"], logFormat) }),
  };
}

/** Whether the environment names a service. */
export function namesService(env: NodeJS.ProcessEnv = process.env): boolean {
  return (env.WEBEXTRACT_BASE_URL ?? "") !== "";
}

function oneOf<const Word extends string>(variable: string, words: readonly Word[], value: string): Word {
  const found = words.find((word) => word === value);
  if (found !== undefined) return found;
  throw new TypeError(`${variable} must be one of ${words.join(", ")}; got ${JSON.stringify(value.slice(0, 20))}.`);
}

/**
 * The environment of a command that a user names: all variables but those of this package and of Pulumi, and but those
 * whose value contains a credential in use.
 * @param redact hides the credentials in use
 */
export function commandEnvironment(
  redact: (text: string) => string,
  env: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name, value = ""]) => !/^(?:WEBEXTRACT|PULUMI)_/i.test(name) && redact(value) === value,
    ),
  );
}

/**
 * The folder `pulumi-webextract` in the user's state folder of the operating system.
 * @throws Error if that is nowhere, with the variable to set
 */
export function defaultTokenStore(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const home = (): string => homeOf(homedir) ?? homeOf(() => userInfo().homedir) ?? noHome();
  if (platform === "win32") return join(env.LOCALAPPDATA || join(home(), "AppData", "Local"), "pulumi-webextract");
  if (platform === "darwin") return join(home(), "Library", "Application Support", "pulumi-webextract");
  // An empty or a relative path does not count, as its specification says: tokens would be kept in the present folder.
  const { XDG_STATE_HOME: state = "" } = env;
  return join(isAbsolute(state) ? state : join(home(), ".local", "state"), "pulumi-webextract");
}

/** An empty or a relative home does not count: tokens would be kept in the present folder. */
function homeOf(read: () => string): string | undefined {
  try {
    const home = read();
    return isAbsolute(home) ? home : undefined;
  } catch {
    // The user has no entry in the system's list of users.
    return undefined;
  }
}

function noHome(): never {
  throw new Error("this user has no home folder. Set WEBEXTRACT_TOKEN_STORE to a folder.");
}

/**
 * Whether this machine is a hosted runner of GitHub Actions, whose disk is lost after the job. Other runners do not
 * say.
 */
export function isHostedRunner(env: NodeJS.ProcessEnv = process.env): boolean {
  return env.RUNNER_ENVIRONMENT === "github-hosted";
}

/**
 * The address of the proxy that the environment (HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY) sets for this service;
 * undefined if there is none. Requests to this machine never use a proxy: they can be plain http, and the credential
 * would leave the machine.
 */
export function proxyFromEnvironment(baseUrl: string): string | undefined {
  const { hostname } = new URL(baseUrl);
  const { no_proxy: noProxy, NO_PROXY = "" } = process.env;
  if (isLoopback(hostname) || isExempt(hostname, noProxy || NO_PROXY)) return undefined;
  const address = getProxyForUrl(baseUrl);
  if (address === "") return undefined;
  // The library gives `proxy:3128` the scheme of the service. Like other programs, connect to such a proxy with plain
  // http.
  const asWritten = Object.entries(process.env).some(([name, value]) => /_proxy$/i.test(name) && value === address);
  return asWritten ? address : address.replace(/^https:/, "http:");
}

/** Whether a host name of a URL means this machine. */
export function isLoopback(hostname: string): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127(\.\d+){3}$/.test(hostname)
  );
}

/** Whether a command of a package was started by its package runner, such as `npx`. */
export function isStartedByRunner(
  script: string | undefined = process.argv[1],
  env: NodeJS.ProcessEnv = process.env,
): boolean {
  return env.npm_command === "exec" || /[\\/]node_modules[\\/]\.bin[\\/]/.test(script ?? "");
}
