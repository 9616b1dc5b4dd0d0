import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { Socket } from "node:net";
import multipart from "@fastify/multipart";
import type { FastifyInstance, FastifyRequest } from "fastify";
import fastify from "fastify";
import { Refusal } from "../errors";
import { checkDepth, readBody } from "./body";
import { drop } from "./deliver";
import type { ServerParts, SocketUse } from "./exchange";
import { Exchange } from "./exchange";
import { presentedCredentials } from "./gate";

/** Serves the paths below a prefix, on the port of the service: no hook, journal entry or behaviour of the service applies to its requests. */
export interface Listener {
  /** Without a slash at its end. */
  readonly prefix: string;
  serve(request: IncomingMessage, response: ServerResponse): void;
}

export async function buildServer(parts: ServerParts, listeners: readonly Listener[]): Promise<FastifyInstance> {
  const app = fastify({
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    rewriteUrl: decodeColons,
    serverFactory(serveService) {
      const server = createServer((request, response) => {
        const listener = listeners.find(({ prefix }) => isBelow(prefix, request.url ?? ""));
        if (listener === undefined) serveService(request, response);
        else listener.serve(request, response);
      });
      server.keepAliveTimeout = 0;
      // A hold can last as long as a test.
      server.requestTimeout = 0;
      return server;
    },
    frameworkErrors: (error, request, reply) => exchange.respondToUnknown(request, reply, error),
  });
  await app.register(multipart);
  parseJsonOurselves(app, parts);
  const sockets = numberSockets(app, parts);
  const exchange: Exchange = new Exchange(parts, sockets);

  for (const operation of parts.operations) {
    const aliases = operation.name === "refreshToken" ? ["/token/refresh"] : [];
    for (const url of [operation.path, ...aliases]) {
      app.route({
        method: operation.method,
        // Fastify reads a single colon in a route as a parameter.
        url: url.replaceAll(":", "::"),
        handler: (request, reply) => exchange.respond(operation, request, reply),
      });
    }
  }
  app.setNotFoundHandler((request, reply) => exchange.respondToUnknown(request, reply));
  app.setErrorHandler((error, request, reply) => exchange.respondToUnknown(request, reply, error));
  return app;
}

function isBelow(prefix: string, url: string): boolean {
  return url.startsWith(prefix) && ["", "/", "?"].includes(url.charAt(prefix.length));
}

/** The router decodes every other character of a path. */
export function decodeColons({ url = "" }: { url?: string }): string {
  return url.replace(/^[^?]*/, (path) => path.replace(/%3A/gi, ":"));
}

/** Parsing never fails: a wrong body is refused later, after the journal entry and the check of credentials. */
function parseJsonOurselves(app: FastifyInstance, { worldOf }: ServerParts): void {
  const read = async (request: FastifyRequest, payload: IncomingMessage, parse: (text: string) => unknown) => {
    const presented = presentedCredentials(request.headers);
    const body = await readBody(payload, worldOf(presented).service.credentials.isKnown(presented));
    if (typeof body === "string") return parse(body);
    return new Refusal("InvalidParameter", `the body is longer than ${body.tooLong} bytes`);
  };
  app.removeContentTypeParser(["application/json", "text/plain"]);
  app.addContentTypeParser("application/json", (request: FastifyRequest, payload: IncomingMessage) =>
    read(request, payload, parseBody),
  );
  app.addContentTypeParser("*", (request: FastifyRequest, payload: IncomingMessage) =>
    read(request, payload, refuseBody),
  );
}

function refuseBody(text: string): unknown {
  return text === "" ? undefined : new Refusal("InvalidParameter", "the body must be application/json");
}

function parseBody(text: string): unknown {
  if (text.trim() === "") return undefined;
  try {
    return checkDepth(JSON.parse(text));
  } catch (error) {
    return error instanceof Refusal ? error : new Refusal("InvalidParameter", "the body is not JSON");
  }
}

function numberSockets(app: FastifyInstance, { worldOf }: ServerParts): WeakMap<Socket, SocketUse> {
  const sockets = new WeakMap<Socket, SocketUse>();
  let last = 0;
  const idleSockets = ({ headers }: FastifyRequest) =>
    worldOf(presentedCredentials(headers)).service.behaviour.idleSockets;
  app.addHook("onRequest", (request, reply, next) => {
    const { socket } = request.raw;
    const use = sockets.get(socket) ?? { number: ++last, requests: 0 };
    use.requests += 1;
    sockets.set(socket, use);
    if (use.requests > 1 && idleSockets(request) === "resetOnReuse") {
      drop(reply, (dropped) => dropped.resetAndDestroy());
      return;
    }
    next();
  });
  app.addHook("onResponse", (request, _reply, next) => {
    if (idleSockets(request) === "closedAfterResponse") request.raw.socket.end();
    next();
  });
  return sockets;
}
