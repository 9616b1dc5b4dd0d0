import { ServiceClient } from "../../../src/service";

/**
 * One of several processes that share a refresh token and a store. Makes one call and prints the source of its token. With `--signal`, it
 * sends itself a SIGTERM first, and prints the source after its own handler was called.
 */
async function main(): Promise<void> {
  const [, , baseUrl = "", tokenStore = "", option] = process.argv;
  const signalled = new Promise((resolve) => process.once("SIGTERM", resolve));
  const client = new ServiceClient({ baseUrl, tokenStore, refreshToken: "refresh-0", maxRetries: 0 });
  await client.startTask({ taskId: "t" });
  if (option === "--signal") {
    // A signal alone does not keep the process alive until it arrives.
    const alive = setInterval(() => undefined, 1_000);
    process.kill(process.pid, "SIGTERM");
    await signalled;
    clearInterval(alive);
  }
  process.stdout.write(client.describeCredentials().source);
  client.close();
}

main().catch((error: unknown) => {
  process.stderr.write(String(error));
  process.exitCode = 1;
});
