import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import net from "node:net";

/** What a server writes for ever, so that a response never ends. */
export const hostileAnswers = {
  "sends no byte": [],
  "sends its headers byte by byte": ["HTTP/1.1 200 OK\r\nX-Slow: ", "x"],
  "sends headers without end": ["HTTP/1.1 200 OK\r\n", `X-Flood: ${"x".repeat(1000)}\r\n`],
  "sends 100 Continue without end": ["", "HTTP/1.1 100 Continue\r\n\r\n".repeat(100)],
  "sends 103 Early Hints without end": ["", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".repeat(100)],
  "sends its body byte by byte": [
    'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{"requestId":"',
    "x",
  ],
  "sends its body in chunks of one byte": [
    'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nE\r\n{"requestId":"\r\n',
    "1\r\nx\r\n",
  ],
  "sends an error byte by byte": ["HTTP/1.1 400 Bad Request\r\nContent-Length: 1000000\r\n\r\n{", " "],
} as const satisfies Record<string, readonly [] | readonly [first: string, more: string]>;

export type HostileAnswer = keyof typeof hostileAnswers;

/** Milliseconds between two pieces of a slow response. Large pieces are sent without a pause. */
const step = 20;

export interface HostileServer {
  baseUrl: string;
  close(): Promise<void>;
}

/** A TCP server that sends this response to each request. */
export async function startHostileServer(answer: HostileAnswer): Promise<HostileServer> {
  const [first = "", more = ""] = hostileAnswers[answer];
  const sockets = new Set<Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    let timer: NodeJS.Timeout | undefined;
    const goOn = (): void => {
      if (socket.destroyed) return;
      const isTaken = socket.write(more);
      if (more.length < 100) timer = setTimeout(goOn, step);
      else if (isTaken) setImmediate(goOn);
      else socket.once("drain", goOn);
    };
    socket.once("data", () => {
      socket.write(first);
      if (more !== "") goOn();
    });
    socket.resume();
    socket.once("close", () => {
      clearTimeout(timer);
      sockets.delete(socket);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
