import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { Refusal } from "../errors";
import { parsedUrl } from "../extraction/parsedUrl";

/** Who can use the admin API. */
export interface Access {
  /** The address on which the emulator listens. */
  host: string;
  /** The token that requests need. `undefined`: none. */
  token: string | undefined;
}

/** The content types of a body. A page of another site cannot send one of them without asking first. */
export const bodyTypes = {
  json: ["application/json"],
  yaml: ["application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"],
} as const;

const changing = new Set(["POST", "PUT", "DELETE"]);
const allBodyTypes: readonly string[] = [...bodyTypes.json, ...bodyTypes.yaml];

/** Whether a host name or address stands for this machine only. */
export function isLoopbackName(name: string): boolean {
  const host = name.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  return host === "localhost" || host.endsWith(".localhost") || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

export function mintAdminToken(): string {
  return `emulator-admin-${randomBytes(18).toString("hex")}`;
}

/**
 * Refuses what a page of another site can make a browser send, and requests without the token.
 * @param open whether the route needs no token.
 * @throws Refusal.
 */
export function checkAccess({ host, token }: Access, { method, headers }: FastifyRequest, open: boolean): void {
  if (token === undefined) checkHost(headers.host, host);
  if (!open && token !== undefined && !hasToken(headers.authorization, token)) {
    throw new Refusal("Invalid.Token", "the admin API needs the header Authorization: Bearer with the admin token");
  }
  if (!changing.has(method)) return;
  const { origin } = headers;
  if (origin !== undefined && origin !== `http://${headers.host}` && origin !== `https://${headers.host}`) {
    throw new Refusal("PermissionDenied", `a page of ${origin} must not change the emulator`);
  }
  const type = (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  // A browser asks before it sends a DELETE to another site, and no page of another site knows the token.
  if (method !== "DELETE" && token === undefined && hasBody(headers) && !allBodyTypes.includes(type)) throw wrongType();
}

function hasBody(headers: FastifyRequest["headers"]): boolean {
  return [headers["content-type"], headers["transfer-encoding"]].some(Boolean) || Number(headers["content-length"]) > 0;
}

/** A name that someone else controls can lead to a loopback address (DNS rebinding). */
function checkHost(header: string | undefined, listening: string): void {
  const name = parsedUrl(`http://${header}`)?.hostname ?? "";
  if (isLoopbackName(name) || name === listening) return;
  throw new Refusal("PermissionDenied", `the header Host must be localhost or ${listening}, not ${header ?? "absent"}`);
}

/** The refusal of a body that is not JSON or YAML. */
export function wrongType(): Refusal {
  return new Refusal("InvalidParameter", "the header Content-Type must be application/json or application/yaml", 415);
}

function hasToken(header: string | undefined, token: string): boolean {
  const given = /^Bearer (.+)$/i.exec(header ?? "")?.[1];
  return given !== undefined && timingSafeEqual(digest(given), digest(token));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
