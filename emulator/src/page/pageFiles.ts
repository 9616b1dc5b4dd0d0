import { join } from "node:path";
import type { FastifyInstance, FastifyReply } from "fastify";
import { packageFolder } from "../contract";
import { Refusal } from "../errors";
import { StaticFiles } from "./staticFiles";

/** The page runs its own scripts only, and loads nothing from other sites: what a run has extracted cannot become a script or a request. */
const headers = {
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; "),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-cache",
};

/** Serves the page and its files. They contain no data, so they need no token. */
export function servePage(app: FastifyInstance, prefix: string): void {
  const files = new StaticFiles(join(packageFolder, "page"));
  const send = (reply: FastifyReply, name: string): FastifyReply => {
    const file = files.read(name);
    if (file === undefined) throw new Refusal("NotFound", `the page has no file ${name}`);
    return reply.headers(headers).type(file.type).send(file.content);
  };
  const open = { config: { open: "always" } } as const;
  app.get(prefix, open, (_request, reply) => reply.redirect(`${prefix}/`));
  app.get(`${prefix}/`, open, (_request, reply) => send(reply, "index.html"));
  app.get<{ Params: { "*": string } }>(`${prefix}/page/*`, open, ({ params }, reply) => send(reply, params["*"]));
}
