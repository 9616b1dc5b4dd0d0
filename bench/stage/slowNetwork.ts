import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer } from "node:net";

/** A way to a server on this machine that delays each piece of a request. It needs next to no processor time, as a network needs none here. */
export async function slowNetwork(port: number, latencyMs: number) {
  let requests = 0;
  const network = createServer({ noDelay: true }, (client) => {
    const server = connect({ port, host: "127.0.0.1", noDelay: true });
    client.on("data", (piece: Buffer) => {
      // Each connection sends its next request after the response, so the head begins a piece.
      requests += /^[A-Z]+ \//.test(piece.toString("latin1", 0, 8)) ? 1 : 0;
      setTimeout(() => server.write(piece), latencyMs);
    });
    server.on("data", (piece: Buffer) => client.write(piece));
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on("error", () => undefined).on("close", () => other.destroy());
    }
  }).listen(0, "127.0.0.1");
  await once(network, "listening");
  const endpoint = `http://127.0.0.1:${(network.address() as AddressInfo).port}`;
  return { endpoint, requestsSoFar: () => requests, stop: () => network.close() };
}
