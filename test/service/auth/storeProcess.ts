import { ServiceClient } from "../../../src/service";

/** One of several machines that share a store: renews the tokens as often as it is told, whether a token is good or not. */
async function main(): Promise<void> {
  const [, , baseUrl = "", tokenStore = "", refreshToken = "", times = "1"] = process.argv;
  const client = new ServiceClient({ baseUrl, tokenStore, refreshToken, s3ForcePathStyle: true, maxRetries: 0 });
  for (let each = 0; each < Number(times); each += 1) {
    await client.renewTokens();
  }
  client.close();
}

main().catch((error: unknown) => {
  process.stderr.write(String(error));
  process.exitCode = 1;
});
