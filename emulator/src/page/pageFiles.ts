import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import type { FastifyInstance, FastifyReply } from "fastify";
import { packageFolder } from "../contract";
import { Refusal } from "../errors";

const folder = join(packageFolder, "page");

const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
};

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
  const files = new Set(
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => name.replaceAll("\\", "/")),
  );
  const send = (reply: FastifyReply, name: string): FastifyReply => {
    const type = types[extname(name)];
    // Only names that the folder has: a path such as ../package.json is none of them.
    if (type === undefined || !files.has(name)) throw new Refusal("NotFound", `the page has no file ${name}`);
    return reply
      .headers(headers)
      .type(type)
      .send(readFileSync(join(folder, name)));
  };
  const open = { config: { open: true } };
  app.get(prefix, open, (_request, reply) => reply.redirect(`${prefix}/`));
  app.get(`${prefix}/`, open, (_request, reply) => send(reply, "index.html"));
  app.get<{ Params: { "*": string } }>(`${prefix}/page/*`, open, ({ params }, reply) => send(reply, params["*"]));
}
