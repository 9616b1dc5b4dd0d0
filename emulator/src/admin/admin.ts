import { constants } from "node:buffer";
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import fastify from "fastify";
import { adminContract } from "../accounts/adminContract";
import type { LocalEmulator } from "../accounts/localEmulator";
import type { Operation } from "../contract";
import { contractText, yamlLibrary } from "../contract";
import { internalFailure, Refusal } from "../errors";
import { checkDepth } from "../http/body";
import type { RequestCheck } from "../http/checkRequest";
import type { Listener } from "../http/server";
import { decodeColons } from "../http/server";
import { EventStream } from "../page/eventStream";
import { servePage } from "../page/pageFiles";
import type { ChangeFeed } from "../runs/changeFeed";
import type { Access } from "./access";
import { bodyTypes, checkAccess, wrongType } from "./access";
import type { AdminOperationName } from "./adminHandler";
import { JsonText } from "./adminHandler";
import { carryOut } from "./operations";

/** What the admin API needs. */
export interface AdminParts {
  emulator: LocalEmulator;
  access: Access;
  log: (line: string) => void;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Whether the route needs no admin token: always, or only as long as its path names no account. */
    open?: "always" | "withoutAccount";
  }
}

const prefix = "/__emulator";

/** The path of an account: what follows is the path of an operation. */
const accountPath = new RegExp(`^${prefix}/accounts/([^/?]+)/`);

/** The account of a request whose path names one. */
const accountNames = new WeakMap<IncomingMessage, string>();

/** The longest string, and so the largest state. */
const bodyLimit = constants.MAX_STRING_LENGTH;

/** The admin API. Its server is built at the first request, because reading its description takes longer than a start of the emulator. */
export class Admin implements Listener {
  readonly prefix = prefix;
  private app: Promise<FastifyInstance> | undefined;

  constructor(private readonly parts: AdminParts) {}

  serve(request: IncomingMessage, response: ServerResponse): void {
    chooseAccount(request);
    this.app ??= build(this.parts);
    this.app.then(
      (app) => app.routing(request, response),
      (error: unknown) => {
        internalFailure("the admin API", error, this.parts.log);
        response.writeHead(500).end();
      },
    );
  }

  async close(): Promise<void> {
    // The reason why it could not be built is in the log.
    const app = await this.app?.catch(() => undefined);
    await app?.close();
  }
}

/** Takes the account from the path, so that each operation of the emulator is one of the account too. */
function chooseAccount(request: IncomingMessage): void {
  const [path, name] = accountPath.exec(request.url ?? "") ?? [];
  if (path === undefined || name === undefined) return;
  accountNames.set(request, name);
  request.url = `${prefix}/${request.url?.slice(path.length)}`;
}

async function build(parts: AdminParts): Promise<FastifyInstance> {
  const { operations, check } = adminContract();
  const app = fastify({
    bodyLimit,
    exposeHeadRoutes: false,
    // An id in a path can have any length that a request line can have.
    routerOptions: { maxParamLength: Number.MAX_SAFE_INTEGER },
    rewriteUrl: decodeColons,
    frameworkErrors: (error, _request, reply) => sendFailure(reply, error, parts),
  });
  parseBodies(app);
  app.addHook("onRequest", async (request) => {
    const { open } = request.routeOptions.config;
    // The response of an account would tell a stranger that it exists.
    const isOpen = open === "always" || (open === "withoutAccount" && !accountNames.has(request.raw));
    checkAccess(parts.access, request, isOpen);
  });
  app.setErrorHandler((error, request, reply) =>
    // The body of a method that HTTP has not had for long is read before the route is known.
    sendFailure(
      reply,
      request.is404 && !(error instanceof Refusal) ? unknownRoute(request, reply, operations) : error,
      parts,
    ),
  );
  app.setNotFoundHandler((request, reply) => sendFailure(reply, unknownRoute(request, reply, operations), parts));
  for (const operation of operations) {
    app.route({
      method: operation.method,
      url: operation.path.replaceAll(":", "::").replace(/\{(\w+)\}/g, ":$1"),
      config: operation.credential === "none" ? { open: "withoutAccount" } : {},
      handler: (request, reply) => respond(operation, check, parts, request, reply),
    });
  }
  servePage(app, prefix);
  await app.ready();
  return app;
}

/** The same bodies can be JSON or YAML. */
function parseBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser([...bodyTypes.json], { parseAs: "string" }, (_request, body, done) => {
    done(null, parseBody(String(body), JSON.parse, "JSON"));
  });
  app.addContentTypeParser([...bodyTypes.yaml], { parseAs: "string" }, (_request, body, done) => {
    done(null, parseBody(String(body), yamlLibrary().parse, "YAML"));
  });
}

function parseBody(text: string, parse: (text: string) => unknown, form: string): unknown {
  if (text.trim() === "") return undefined;
  try {
    return checkDepth(parse(text));
  } catch (error) {
    if (error instanceof Refusal) return error;
    // The message of a parser quotes the text, which can contain a credential.
    const line = error instanceof yamlLibrary().YAMLParseError ? error.linePos?.[0].line : undefined;
    return new Refusal("InvalidParameter", `the body is not ${form}${line === undefined ? "" : ` (line ${line})`}`);
  }
}

async function respond(
  operation: Operation<AdminOperationName>,
  check: RequestCheck,
  parts: AdminParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  if (operation.name === "getDescription") {
    return reply.type("application/yaml; charset=utf-8").send(contractText("admin.openapi.yaml"));
  }
  const { body } = request;
  if (body instanceof Refusal) throw body;
  if (operation.sends === "query" && body !== undefined) {
    throw new Refusal("InvalidParameter", `${operation.name} takes no body`);
  }
  check.body(operation, body);
  const query = check.query(operation, request.query as Record<string, unknown>);
  const path = request.params as Record<string, unknown>;
  const name = accountNames.get(request.raw);
  const emulator = name === undefined ? parts.emulator : parts.emulator.account(name);
  const { service, saved, ending } = emulator.world;
  if (operation.name === "getEvents") return sendEvents(reply, service.feed, ending.signal);
  const result = await carryOut(operation.name, emulator, {
    body,
    query,
    path,
    signal: signalOf(reply, ending.signal),
  });
  if (operation.method !== "GET") await saved();
  if (result instanceof JsonText) return reply.type("application/json; charset=utf-8").send(result.text);
  return result === undefined ? reply.code(204).send() : reply.send(result);
}

function sendEvents(reply: FastifyReply, feed: ChangeFeed, ended: AbortSignal): FastifyReply {
  reply.hijack();
  reply.raw.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  new EventStream(feed, reply.raw);
  whileOpen(reply, ended, () => reply.raw.end());
  return reply;
}

/** Ends a wait when the client is gone, or when the account ends. */
function signalOf(reply: FastifyReply, ended: AbortSignal): AbortSignal {
  const gone = new AbortController();
  const end = () => gone.abort();
  // Not of the socket, which serves many requests.
  reply.raw.once("close", end);
  whileOpen(reply, ended, end);
  return gone.signal;
}

/** Calls a function at the end of the account. Not AbortSignal.any, because the signal of the account would keep something of each request. */
function whileOpen(reply: FastifyReply, ended: AbortSignal, end: () => void): void {
  ended.addEventListener("abort", end, { once: true });
  reply.raw.once("close", () => ended.removeEventListener("abort", end));
}

function unknownRoute(
  { method, url }: FastifyRequest,
  reply: FastifyReply,
  operations: readonly Operation<string>[],
): Refusal {
  const path = url.split("?")[0] ?? "";
  const methods = operations.filter((operation) => fits(path, operation.path)).map((operation) => operation.method);
  if (methods.length === 0) {
    return new Refusal("NotFound", `the admin API has no ${path}; ${prefix}/openapi.yaml describes what it has`);
  }
  reply.header("allow", methods.join(", "));
  return new Refusal("MethodNotAllowed", `this path takes ${methods.join(" or ")}, not ${method}`);
}

/** Whether a path is one of a template such as `/runs/{lotNo}`. */
function fits(path: string, template: string): boolean {
  const parts = path.split("/");
  const wanted = template.split("/");
  return parts.length === wanted.length && wanted.every((part, index) => part.startsWith("{") || part === parts[index]);
}

function sendFailure(reply: FastifyReply, error: unknown, { log }: AdminParts): FastifyReply {
  const refusal = error instanceof Refusal ? error : refusalOf(error, log);
  if (refusal.code === "Invalid.Token") reply.header("www-authenticate", "Bearer");
  return reply
    .code(refusal.statusUnder("usual"))
    .send({ error: { code: refusal.code, message: refusal.message }, requestId: randomUUID() });
}

function refusalOf(error: unknown, log: (line: string) => void): Refusal {
  const status = error instanceof Error && "statusCode" in error ? Number(error.statusCode) : 500;
  if (status === 415) return wrongType();
  if (status === 413) return new Refusal("InvalidParameter", `the body is longer than ${bodyLimit} bytes`, status);
  return status < 500
    ? new Refusal("InvalidParameter", "the request could not be read", status)
    : internalFailure("the admin API", error, log);
}
