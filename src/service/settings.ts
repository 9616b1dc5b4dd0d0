import { isHeaderValue } from "./auth/accessToken";
import { defaultTokenStore, isLoopback, proxyFromEnvironment } from "./environment";
import { shownText } from "./errors/foreignText";
import type { ProxyServer } from "./http/proxyServer";
import { proxyOf } from "./http/proxyServer";
import type { CredentialScheme, LogLevel, ServiceClientOptions } from "./options";
import { parsedUrl } from "./parsedUrl";

/** The options, checked and with their defaults. Credentials are not included: only the token code holds those. */
export interface ClientSettings {
  /** Without trailing slashes. */
  baseUrl: string;
  /** The proxy that the environment sets for this service. */
  proxy: ProxyServer | undefined;
  /** Milliseconds. */
  timeout: number;
  /** Milliseconds. */
  deadline: number;
  /** Milliseconds. */
  busyTimeout: number;
  maxRetries: number;
  requestsPerSecond: number;
  concurrency: number;
  pageSize: number;
  maxResponseBytes: number;
  notExecutedCodes: readonly string[];
  credentials: CredentialScheme;
  refreshPath: string;
  tokenStore: string;
  profile: string;
  logLevel: LogLevel;
  log: (line: string) => void;
  warn: (message: string) => void;
  interrupted: AbortSignal;
  settingName: (option: string) => string;
}

/** @throws TypeError that names every invalid option, but no value that can be a credential */
export function settingsOf(options: ServiceClientOptions): ClientSettings {
  const problems = optionProblems(options);
  if (problems.length > 0) throw new TypeError(`ServiceClient: ${problems.join(" ")}`);
  const stderr = (line: string) => void process.stderr.write(`${shownText(line)}\n`);
  const proxyAddress = proxyFromEnvironment(options.baseUrl);
  return {
    baseUrl: withoutSlashes(options.baseUrl),
    proxy: proxyAddress === undefined ? undefined : proxyOf(proxyAddress),
    timeout: (options.timeoutSeconds ?? 30) * 1000,
    deadline: (options.deadlineSeconds ?? 900) * 1000,
    busyTimeout: (options.busyTimeoutSeconds ?? 120) * 1000,
    maxRetries: options.maxRetries ?? 5,
    requestsPerSecond: options.requestsPerSecond ?? Number.POSITIVE_INFINITY,
    concurrency: options.concurrency ?? 8,
    pageSize: options.pageSize ?? 1000,
    maxResponseBytes: options.maxResponseBytes ?? 64 * 1024 * 1024,
    notExecutedCodes: options.notExecutedCodes ?? [],
    credentials: options.credentials ?? "contract",
    refreshPath: options.refreshPath ?? "/token",
    tokenStore: options.tokenStore ?? defaultTokenStore(),
    profile: options.profile ?? "default",
    logLevel: options.logLevel ?? "silent",
    log: options.log ?? stderr,
    warn: options.warn ?? stderr,
    interrupted: options.interrupted ?? new AbortController().signal,
    settingName: options.settingName ?? ((option) => option),
  };
}

function withoutSlashes(address: string): string {
  let end = address.length;
  while (address[end - 1] === "/") end -= 1;
  return address.slice(0, end);
}

/** The problems of the options, one sentence each; empty if there are none. */
export function optionProblems(options: ServiceClientOptions): string[] {
  const problems = [
    baseUrlProblem(options.baseUrl, options.allowInsecureHttp === true) ?? proxyProblem(options.baseUrl),
  ];
  const number = (name: keyof ServiceClientOptions, least: number, integer: boolean) => {
    const value = options[name];
    const right =
      typeof value === "number" && value >= least && (integer ? Number.isSafeInteger(value) : Number.isFinite(value));
    if (value !== undefined && !right) {
      problems.push(`${name} must be ${integer ? "an integer" : "a number"} of at least ${least}.`);
    }
  };
  number("timeoutSeconds", 0.001, false);
  number("deadlineSeconds", 0.001, false);
  number("busyTimeoutSeconds", 0, false);
  number("requestsPerSecond", 0.01, false);
  number("maxRetries", 0, true);
  number("concurrency", 1, true);
  number("pageSize", 1, true);
  number("maxResponseBytes", 1024, true);
  for (const name of ["accessToken", "refreshToken", "apiKey"] as const)
    problems.push(credentialProblem(name, options[name]));
  for (const name of ["credentialCommand", "tokenStore", "profile"] as const) {
    const value: unknown = options[name];
    if (value !== undefined && (typeof value !== "string" || value.trim() === ""))
      problems.push(`${name} must not be empty.`);
  }
  if (options.refreshPath !== undefined && !/^\/[\w\-./:]+$/.test(options.refreshPath)) {
    problems.push("refreshPath must be a path that starts with a slash.");
  }
  const oneOf = (name: "credentials" | "logLevel", allowed: string[]) => {
    const value = options[name];
    if (value !== undefined && !allowed.includes(value)) problems.push(`${name} must be one of ${allowed.join(", ")}.`);
  };
  oneOf("credentials", ["contract", "bearer", "apiKey"]);
  oneOf("logLevel", ["silent", "debug", "trace"]);
  return problems.filter((problem) => problem !== undefined);
}

function baseUrlProblem(baseUrl: unknown, allowInsecureHttp: boolean): string | undefined {
  const url = typeof baseUrl === "string" ? parsedUrl(baseUrl) : undefined;
  if (url === undefined) return "baseUrl must be a URL such as https://host/path.";
  if (url.username !== "" || url.password !== "") return "baseUrl must not hold a user name or password.";
  if (url.search !== "" || url.hash !== "") return "baseUrl must not have a query or a fragment.";
  if (url.protocol === "https:") return undefined;
  if (url.protocol !== "http:") return "baseUrl must begin with https://.";
  if (allowInsecureHttp || isLoopback(url.hostname)) return undefined;
  return `baseUrl is plain http to ${url.hostname}: credentials would travel unencrypted. Use https, or set allowInsecureHttp.`;
}

function proxyProblem(baseUrl: string): string | undefined {
  const address = proxyFromEnvironment(baseUrl);
  return address === undefined || proxyOf(address) !== undefined
    ? undefined
    : "The proxy that the environment sets for baseUrl (HTTPS_PROXY, HTTP_PROXY or ALL_PROXY) is not a URL such as http://host:port.";
}

/** A header takes visible ASCII only. A line break in a token is a copy-and-paste error, and must not become a second header. */
function credentialProblem(name: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "string" || value === "") return `${name} must not be empty.`;
  return isHeaderValue(value)
    ? undefined
    : `${name} contains a space, a line break or another character that a header cannot carry.`;
}
