import { once } from "node:events";
import http from "node:http";
import type { AddressInfo, Socket } from "node:net";
import net from "node:net";

/** A wish for a tunnel as the proxy saw it. */
export interface SeenTunnel {
  target: string;
  headers: http.IncomingHttpHeaders;
  /** Everything that went through it from the client's side. */
  bytes(): string;
  /** Resolves when the client has let go of it. */
  closed: Promise<void>;
}

/** What a proxy does with a wish for a tunnel; by default it opens one to `upstream`. */
export type OnTunnel = (socket: Socket, turn: number, open: () => void) => void;

/** A proxy of this machine. Whatever name a client asks for, the tunnel leads to the port `upstream` of this machine. */
export interface FakeProxy {
  port: number;
  tunnels: SeenTunnel[];
  /** Plain requests, which a proxy sees whole. */
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
