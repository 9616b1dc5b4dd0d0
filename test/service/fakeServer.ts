import { once } from "node:events";
import http from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** A request that the server received. */
export interface Seen {
  method: string;
  url: string;
  headers: http.IncomingHttpHeaders;
  body: string;
  /** Number of its connection, from 1. */
  connection: number;
}

export type Responder = (
  seen: Seen,
  response: http.ServerResponse,
  /** Number of this request, from 1. */
  turn: number,
) => void;

/** A plain HTTP server for faults that the contract does not describe: broken responses, lost connections, slow bodies. */
export interface FakeServer {
  baseUrl: string;
  seen: Seen[];
  close(): Promise<void>;
}

export async function startFakeServer(respond: Responder): Promise<FakeServer> {
  const seen: Seen[] = [];
  const sockets = new Map<Socket, number>();
  const server = http.createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("error", () => undefined);
    request.on("end", () => {
      const entry: Seen = {
        method: request.method ?? "",
        url: request.url ?? "",
        headers: request.headers,
        body: Buffer.concat(pieces).toString("utf8"),
        connection: sockets.get(request.socket) ?? 0,
      };
      seen.push(entry);
      respond(entry, response, seen.length);
    });
  });
  let connections = 0;
  server.on("connection", (socket) => {
    connections += 1;
    sockets.set(socket, connections);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    seen,
    close: async () => {
      for (const socket of sockets.keys()) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

export function json(
  response: http.ServerResponse,
  status: number,
  body: unknown,
  headers: http.OutgoingHttpHeaders = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}
