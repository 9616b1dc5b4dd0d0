/**
 * A broker: the one machine that holds the refresh token. It renews and stores it, and issues access tokens to clients that have its key.
 * It reads WEBEXTRACT_BASE_URL, WEBEXTRACT_REFRESH_TOKEN, WEBEXTRACT_TOKEN_STORE, BROKER_KEY and BROKER_PORT. Put it behind https.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";
import { optionsFromEnvironment, ServiceClient } from "pulumi-webextract/service";

const { BROKER_KEY = "", BROKER_PORT = "8080" } = process.env;
if (BROKER_KEY.length < 32) throw new Error("BROKER_KEY must have 32 characters or more.");
const client = new ServiceClient({ baseUrl: "", ...optionsFromEnvironment() });
const digest = (text: string) => createHash("sha256").update(text).digest();
const wanted = digest(`Bearer ${BROKER_KEY}`);

const server = createServer(async (request, response) => {
  if (!timingSafeEqual(digest(request.headers.authorization ?? ""), wanted)) {
    response.writeHead(401).end();
    return;
  }
  try {
    // Any number of requests cause one refresh. The new refresh token is on disk before a client gets the access token.
    const credential = await client.credentialForCommand();
    response.writeHead(200, { "content-type": "application/json", "cache-control": "no-store" });
    response.end(JSON.stringify(credential));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    response.writeHead(503).end();
  }
});
server.listen(Number(BROKER_PORT), "127.0.0.1", () => {
  const address = server.address();
  console.log(`listening on port ${typeof address === "object" ? address?.port : address}`);
});
process.once("SIGTERM", () => {
  server.close();
  client.close();
});
