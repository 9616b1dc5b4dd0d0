import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer } from "node:net";
import { pipeline, Transform } from "node:stream";

/**
 * A way to a server on this machine that delays each piece of a request. It needs next to no processor time, as a network needs none of the
 * client's.
 */
export async function slowNetwork(port: number, latencyMs: number) {
  let requests = 0;
  const ignore = (): void => undefined;
  const network = createServer({ noDelay: true }, (client) => {
    const transform = (piece: Buffer, _: string, done: (error: null, piece: Buffer) => void): void => {
      // Each connection sends its next request after the response, so the head begins a piece.
      requests += /^[A-Z]+ \S+ HTTP\/1\.1\r\n/.test(piece.toString("latin1", 0, 2000)) ? 1 : 0;
      setTimeout(done, latencyMs, null, piece);
    };
    const server = connect({ port, host: "127.0.0.1", noDelay: true });
    pipeline(client, new Transform({ transform }), server, ignore);
    pipeline(server, client, ignore);
  }).listen(0, "127.0.0.1");
  await once(network, "listening");
  const endpoint = `http://127.0.0.1:${(network.address() as AddressInfo).port}`;
  return { endpoint, requestsSoFar: () => requests, stop: () => network.close() };
}
