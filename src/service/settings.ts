import { isStoreAddress, storeAddressProblem } from "../store/storeAddress";
import type { Problem, Shape } from "../values/kinds";
import {
  anything,
  boolean,
  checkValue,
  choice,
  describeValue,
  filePath,
  integer,
  list,
  number,
  string,
  unknownName,
} from "../values/kinds";
import { faultOf } from "./auth/accessToken";
import { defaultTokenStore, isLoopback, proxyFromEnvironment } from "./environment";
import { shownText } from "./errors/foreignText";
import { proxyOf } from "./http/proxy";
import type { ClientSettings, ServiceClientOptions } from "./options";
import { parsedUrl } from "./parsedUrl";
import { asWritten } from "./serviceAddress";

/** @throws TypeError that names every invalid option, but no value that can be a credential */
export function settingsOf(options: ServiceClientOptions): ClientSettings {
  const problems = optionProblems(options);
  if (problems.length > 0) throw new TypeError(`ServiceClient: ${problems.join(" ")}`);
  const { accessToken, refreshToken, apiKey, credentialCommand, s3ForcePathStyle, packagesFolder, ...others } = options;
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
    startsWithoutLotNo: false,
    refreshPath: "/token",
    allowInsecureHttp: false,
    profile: "",
    sharesDefault: false,
    logLevel: "silent",
    logFormat: "text",
    log: stderr,
    warn: stderr,
    waiting: () => undefined,
    interrupted: new AbortController().signal,
    mustStoreTokens: false,
    settingName: (option: string) => option,
    watch: { before: () => undefined, after: () => undefined },
  } as const;
  const given = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
  return {
    ...defaults,
    notExecutedCodes: [],
    movedFrom: [],
    ...given,
    baseUrl: asWritten(options.baseUrl),
    tokenStore: tokenStoreOf(options),
    proxy: proxyAddress === undefined ? undefined : proxyOf(proxyAddress),
  };
}

/** The kinds of the options. `any`: the value has a check of its own. */
export const optionKinds = {
  baseUrl: anything,
  accessToken: anything,
  refreshToken: anything,
  apiKey: anything,
  refreshPath: anything,
  timeoutSeconds: number(0.001),
  deadlineSeconds: number(0.001),
  busyTimeoutSeconds: number(0),
  requestsPerSecond: number(0.01),
  maxRetries: integer(0),
  concurrency: integer(1),
  pageSize: integer(1),
  maxResponseBytes: integer(1024),
  credentialCommand: string,
  tokenStore: filePath,
  s3ForcePathStyle: boolean,
  packagesFolder: filePath,
  movedFrom: list(string, { mayBeEmpty: true }),
  profile: string,
  sharesDefault: boolean,
  allowInsecureHttp: boolean,
  notExecutedCodes: list(string, { mayBeEmpty: true }),
  startsWithoutLotNo: boolean,
  credentials: choice("contract", "bearer", "apiKey"),
  logLevel: choice("silent", "debug", "trace"),
  logFormat: choice("text", "json"),
  log: anything,
  warn: anything,
  waiting: anything,
  settingName: anything,
  interrupted: anything,
  mustStoreTokens: boolean,
  watch: anything,
} satisfies { [Name in keyof ServiceClientOptions]-?: Shape };

const optionSpecs = Object.fromEntries(Object.entries<Shape>(optionKinds).map(([name, kind]) => [name, { kind }]));

/**
 * The problems of the options, one sentence each, which begins with the name of the option; empty if there are none.
 */
export function optionProblems(options: ServiceClientOptions): string[] {
  const found: Problem[] = [];
  for (const [name, value] of Object.entries(options)) {
    const kind = optionSpecs[name]?.kind;
    if (kind === undefined) found.push({ path: name, reason: unknownName(name, optionSpecs) });
    else if (value !== undefined) checkValue(kind, value, name, found);
  }
  const { interrupted, refreshPath = "/token" } = options;
  for (const name of ["log", "warn", "waiting", "settingName"] as const) {
    if (!["function", "undefined"].includes(typeof options[name])) {
      found.push({ path: name, reason: `must be a function; got ${describeValue(options[name])}` });
    }
  }
  if (interrupted !== undefined && typeof interrupted?.addEventListener !== "function") {
    found.push({ path: "interrupted", reason: `must be an AbortSignal; got ${describeValue(interrupted)}` });
  }
  const problems = [
    baseUrlProblem(options.baseUrl, options.allowInsecureHttp === true) ?? proxyProblem(options.baseUrl),
    ...(["accessToken", "refreshToken", "apiKey"] as const).map((name) => credentialProblem(name, options[name])),
    noTokenStore(options),
    sharedStoreProblem(options),
    ...found.map(({ path, reason }) => `${path} ${reason}.`),
    /^\/[\w\-./:]+$/.test(refreshPath) ? undefined : "refreshPath must be a path that starts with a slash.",
  ];
  return problems.filter((problem) => problem !== undefined);
}

function baseUrlProblem(baseUrl: unknown, allowInsecureHttp: boolean): string | undefined {
  const url = typeof baseUrl === "string" ? parsedUrl(baseUrl) : undefined;
  if (typeof baseUrl !== "string" || url === undefined) return "baseUrl must be a URL such as https://host/path.";
  // A path is added to it as it is written. The parser drops or changes these characters.
  if (/[\s\p{Cc}\\]/u.test(baseUrl)) {
    return "baseUrl must not contain a space, a line break, a backslash or a control character.";
  }
  if (url.username !== "" || url.password !== "") return "baseUrl must not hold a user name or password.";
  if (/[?#]/.test(baseUrl)) return "baseUrl must not have a query or a fragment.";
  if (url.protocol === "https:") return undefined;
  if (url.protocol !== "http:") return "baseUrl must begin with https://.";
  if (allowInsecureHttp || isLoopback(url.hostname)) return undefined;
  return `baseUrl is plain http to ${url.hostname}: credentials would travel unencrypted. Use https, or set allowInsecureHttp.`;
}

function proxyProblem(baseUrl: string): string | undefined {
  const address = proxyFromEnvironment(baseUrl);
  return address === undefined || proxyOf(address) !== undefined
    ? undefined
    : "baseUrl needs the proxy that the environment sets for it (HTTPS_PROXY, HTTP_PROXY or ALL_PROXY), which is not a URL such as http://host:port. SOCKS is not supported. A special character of the user name or password needs percent-encoding, such as %23 for #.";
}

/**
 * A header takes visible ASCII only. A line break in a token is a copy-and-paste error, and must not become a second
 * header.
 */
function credentialProblem(name: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "string" || value === "") return `${name} must not be empty.`;
  const fault = faultOf(value);
  return fault && `${name} ${fault}.`;
}

/** Its name and key are made of the refresh token, which nobody must guess. */
const shortestStartToken = 20;

function sharedStoreProblem({ tokenStore, refreshToken }: ServiceClientOptions): string | undefined {
  const problem = storeAddressProblem(tokenStore);
  if (problem !== undefined) return `tokenStore ${problem}.`;
  if (!isStoreAddress(tokenStore) || typeof refreshToken !== "string" || refreshToken.length >= shortestStartToken) {
    return undefined;
  }
  return `refreshToken has fewer than ${shortestStartToken} characters, so the tokens that tokenStore keeps in an object store could be guessed: keep them in a folder.`;
}

/** Why there is no token store, if a token needs one. */
function noTokenStore({ tokenStore, refreshToken }: ServiceClientOptions): string | undefined {
  try {
    void (refreshToken === undefined || tokenStore || defaultTokenStore());
    return undefined;
  } catch (error) {
    return `tokenStore is missing: ${error instanceof Error ? error.message : "no folder"}`;
  }
}

/** The folder or the address of the token store; undefined if this user has no home folder, and none is given. */
export function tokenStoreOf({ tokenStore }: Pick<ServiceClientOptions, "tokenStore">): string | undefined {
  try {
    return tokenStore ?? defaultTokenStore();
  } catch {
    return undefined;
  }
}
