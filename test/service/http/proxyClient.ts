import { inspect } from "node:util";
import { ServiceClient } from "../../../src/service";
import { exampleCalls } from "../calls";

/**
 * Makes calls through a proxy in a process of its own, because Node.js reads the variables and certificates at its start. Prints the result of
 * each call of `calls`.
 */
async function main(): Promise<void> {
  const [, , baseUrl = "", ...calls] = process.argv;
  const client = new ServiceClient({
    baseUrl,
    accessToken: "access-token",
    apiKey: "key-of-the-account",
    allowInsecureHttp: true,
    maxRetries: 0,
  });
  for (const name of calls) {
    const call = Object.entries(exampleCalls).find(([known]) => known === name)?.[1];
    const outcome = await call?.send(client).then(
      () => "answered",
      (error: unknown) => inspect(error, { depth: 20 }),
    );
    process.stdout.write(`${outcome}\n`);
  }
  client.close();
}

main().catch((error: unknown) => {
  process.stderr.write(String(error));
  process.exitCode = 1;
});
