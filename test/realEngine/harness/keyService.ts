import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

let address: Promise<string> | undefined;

/**
 * Starts, once in this process, a service that encrypts the keys of stacks, as far as the engine uses that of HashiCorp Vault, and returns its address.
 * With a passphrase, the engine derives the key anew in each command, which takes a fifth of a short one.
 */
export function keyService(): Promise<string> {
  address ??= new Promise((resolve) => {
    const server = createServer(async (request, response) => {
      const { plaintext, ciphertext } = (await json(request)) as { plaintext?: string; ciphertext?: string };
      // It protects nothing: what counts is that the engine encrypts secrets with a key of the stack.
      response.end(JSON.stringify({ data: { ciphertext: plaintext, plaintext: ciphertext } }));
    });
    server.unref();
    server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
  return address;
}
