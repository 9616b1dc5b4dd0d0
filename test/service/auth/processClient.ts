import { ServiceClient } from "../../../src/service";

/** One process of several that share a start token and a store: makes one call and says which source its token came from. */
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
