import { ServiceClient } from "../../../src/service";

/** One of several processes that share a refresh token and a store. Makes one call and prints the source of its token. */
async function main(): Promise<void> {
  const [, , baseUrl = "", tokenStore = ""] = process.argv;
  const client = new ServiceClient({ baseUrl, tokenStore, refreshToken: "refresh-0", maxRetries: 0 });
  await client.startTask({ taskId: "t" });
  process.stdout.write(client.describeCredentials().source);
  client.close();
}

main().catch((error: unknown) => {
  process.stderr.write(String(error));
  process.exitCode = 1;
});
