import type { Problem, Shape } from "../values/kinds";
import { checkValue, choice, integer, number, string } from "../values/kinds";
import { isHeaderValue } from "./auth/accessToken";
import { defaultTokenStore, isLoopback, proxyFromEnvironment } from "./environment";
import { shownText } from "./errors/foreignText";
import { proxyOf } from "./http/proxy";
import type { ClientSettings, ServiceClientOptions } from "./options";
import { parsedUrl } from "./parsedUrl";

/** @throws TypeError that names every invalid option, but no value that can be a credential */
export function settingsOf(options: ServiceClientOptions): ClientSettings {
  const problems = optionProblems(options);
  if (problems.length > 0) throw new TypeError(`ServiceClient: ${problems.join(" ")}`);
  const { accessToken, refreshToken, apiKey, credentialCommand, ...others } = options;
  const stderr = (line: string) => void process.stderr.write(`${shownText(line)}\n`);
  const proxyAddress = proxyFromEnvironment(options.baseUrl);
  const defaults = {
    timeoutSeconds: 30,
    deadlineSeconds: 900,
    busyTimeoutSeconds: 120,
    maxRetries: 5,
    requestsPerSecond: Number.POSITIVE_INFINITY,
    concurrency: 8,
    pageSize: 1000,
    maxResponseBytes: 64 * 1024 * 1024,
    credentials: "contract",
    refreshPath: "/token",
    allowInsecureHttp: false,
    tokenStore: defaultTokenStore(),
    profile: "default",
    logLevel: "silent",
    log: stderr,
    warn: stderr,
    waiting: () => undefined,
    interrupted: new AbortController().signal,
    mustStoreTokens: false,
    settingName: (option: string) => option,
  } as const;
  const given = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
  return {
    ...defaults,
    notExecutedCodes: [],
    ...given,
    baseUrl: options.baseUrl.replace(/(?<!\/)\/+$/, ""),
    proxy: proxyAddress === undefined ? undefined : proxyOf(proxyAddress),
  };
}

/** The kinds of the options that one value alone describes. */
export const optionKinds = {
  timeoutSeconds: number(0.001),
  deadlineSeconds: number(0.001),
  busyTimeoutSeconds: number(0),
  requestsPerSecond: number(0.01),
  maxRetries: integer(0),
  concurrency: integer(1),
  pageSize: integer(1),
  maxResponseBytes: integer(1024),
  credentialCommand: string,
  tokenStore: string,
  profile: string,
  credentials: choice("contract", "bearer", "apiKey"),
  logLevel: choice("silent", "debug", "trace"),
} satisfies { [Name in keyof ServiceClientOptions]?: Shape };

/** The problems of the options, one sentence each; empty if there are none. */
export function optionProblems(options: ServiceClientOptions): string[] {
  const found: Problem[] = [];
  for (const [name, kind] of Object.entries<Shape>(optionKinds)) {
    const value = options[name as keyof typeof optionKinds];
    if (value !== undefined) checkValue(kind, value, name, found);
  }
  const isPath = options.refreshPath === undefined || /^\/[\w\-./:]+$/.test(options.refreshPath);
  const problems = [
    baseUrlProblem(options.baseUrl, options.allowInsecureHttp === true) ?? proxyProblem(options.baseUrl),
    ...(["accessToken", "refreshToken", "apiKey"] as const).map((name) => credentialProblem(name, options[name])),
    ...found.map(({ path, reason }) => `${path} ${reason}.`),
    isPath ? undefined : "refreshPath must be a path that starts with a slash.",
  ];
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
