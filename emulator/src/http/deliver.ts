import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { FastifyReply } from "fastify";
import type { PlannedFault } from "../faults/faults";
import { delayOf } from "../faults/faults";
import type { ServiceResponse } from "./responses";

/** Sends a response. */
export function send(reply: FastifyReply, response: ServiceResponse): FastifyReply {
  return reply.code(response.status).headers(response.headers).send(response.body);
}

/** Sends a response that a fault changes. */
export async function sendSpoilt(
  reply: FastifyReply,
  response: ServiceResponse,
  fault: PlannedFault,
  ended: AbortSignal,
): Promise<void> {
  const body = Buffer.from(response.body);
  switch (fault.kind) {
    case "reset":
      drop(reply, (socket) => socket.resetAndDestroy());
      return;
    case "hang":
      reply.hijack();
      return;
    case "close":
      drop(reply, (socket) => socket.end());
      return;
    case "garbage":
      drop(reply, (socket) => socket.end(Buffer.from(Array.from({ length: 64 }, () => fault.random.next() * 256))));
      return;
    case "wrongLength":
      drop(reply, (socket) => socket.end(Buffer.concat([headWithLength(response, Math.floor(body.length / 2)), body])));
      return;
    case "truncated":
      reply.hijack();
      reply.raw.writeHead(response.status, { ...response.headers, "content-length": body.length });
      // The head must be sent before the socket is closed.
      reply.raw.write(body.subarray(0, Math.floor(body.length / 2)), () => reply.raw.socket?.destroy());
      return;
    case "cutOff":
      await send(reply, { ...response, body: response.body.slice(0, response.body.length / 2) });
      return;
    case "slow":
      await sendSlowly(reply, response, body, () => delayOf(fault, 20), ended);
      return;
    case "late":
      await pause(delayOf(fault, 1000), ended);
      await send(reply, response);
      return;
    case "wrongType":
      await send(reply, { ...response, headers: { ...response.headers, "content-type": "text/html; charset=utf-8" } });
      return;
    default:
      await send(reply, response);
  }
}

/** Ends the connection of a request without a response. */
export function drop(reply: FastifyReply, end: (socket: Socket) => void): void {
  reply.hijack();
  if (reply.raw.socket !== null) end(reply.raw.socket);
}

/** The head of a response as bytes, because Node.js would correct a wrong length. */
function headWithLength({ status, headers }: ServiceResponse, length: number): Buffer {
  const lines = Object.entries({ ...headers, "content-length": length }).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("\r\n")}\r\n\r\n`);
}

async function sendSlowly(
  reply: FastifyReply,
  response: ServiceResponse,
  body: Buffer,
  delay: () => number,
  ended: AbortSignal,
): Promise<void> {
  reply.hijack();
  reply.raw.writeHead(response.status, { ...response.headers, "content-length": body.length });
  const piece = Math.max(1, Math.ceil(body.length / 10));
  for (let sent = 0; sent < body.length && !reply.raw.destroyed; sent += piece) {
    reply.raw.write(body.subarray(sent, sent + piece));
    await pause(delay(), ended);
  }
  reply.raw.end();
}

/** The waits of requests before their effect. */
export class Waits {
  private ended = new AbortController();
  private closed = false;

  /** Waits, at most until the next end of all waits. */
  async pause(ms: number): Promise<void> {
    if (!this.closed) await pause(ms, this.ended.signal);
  }

  /** Ends all waits, and each later one at once. */
  close(): void {
    this.closed = true;
    this.end();
  }

  /** Ends all waits. */
  end(): void {
    this.ended.abort();
    this.ended = new AbortController();
  }
}

/** Waits, at most until the account ends. */
export async function pause(ms: number, ended: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal: ended }).catch(() => undefined);
}
