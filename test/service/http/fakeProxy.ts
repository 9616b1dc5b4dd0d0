import { once } from "node:events";
import http from "node:http";
import type { AddressInfo, Socket } from "node:net";
import net from "node:net";

/** A CONNECT request that the proxy received. */
export interface SeenTunnel {
  target: string;
  headers: http.IncomingHttpHeaders;
  /** All bytes that the client sent through the tunnel. */
  bytes(): string;
  /** Resolves when the client has closed the tunnel. */
  closed: Promise<void>;
}

/** Handles a CONNECT request. By default, the proxy opens a tunnel to `upstream`. */
export type OnTunnel = (socket: Socket, turn: number, open: () => void) => void;

/** A proxy on this machine. Each tunnel leads to the port `upstream` of this machine, whatever host the client names. */
export interface FakeProxy {
  port: number;
  tunnels: SeenTunnel[];
  /** Plain http requests, which a proxy receives in full. */
  requests: { url: string; headers: http.IncomingHttpHeaders }[];
  close(): Promise<void>;
}

export async function startFakeProxy(
  upstream: number,
  onTunnel: OnTunnel = (_socket, _turn, open) => open(),
): Promise<FakeProxy> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
  };
  const tunnels: SeenTunnel[] = [];
  const requests: FakeProxy["requests"] = [];
  const server = http.createServer((request, response) => {
    requests.push({ url: request.url ?? "", headers: request.headers });
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ requestId: "q" }));
  });
  server.on("connection", keep);
  server.on("connect", (request: http.IncomingMessage, socket: Socket) => {
    const pieces: Buffer[] = [];
    tunnels.push({
      target: request.url ?? "",
      headers: request.headers,
      bytes: () => Buffer.concat(pieces).toString("latin1"),
      closed: new Promise((resolve) => socket.once("close", () => resolve())),
    });
    socket.on("end", () => socket.end());
    socket.on("data", (piece: Buffer) => pieces.push(piece));
    onTunnel(socket, tunnels.length, () => {
      const onward = net.connect(upstream, "127.0.0.1");
      keep(onward);
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      socket.pipe(onward).pipe(socket);
      socket.on("close", () => onward.destroy());
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    tunnels,
    requests,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
