import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { ServiceClient } from "../../../src/service";
import { setEnvironment } from "../../environment";
import fc, { runs } from "../../fastCheck";
import { exampleCalls, operationNames } from "../calls";
import { json, startFakeServer } from "../fakeServer";
import { skipWaits } from "../skipWaits";
import { errorOf } from "./errorOf";

/** The places where a credential can be. */
const places = [
  "accessToken",
  "refreshToken",
  "apiKey",
  "credentialCommand",
  "commandText",
  "commandThatFails",
  "proxyPassword",
  "newAccessToken",
  "newRefreshToken",
  "storedTokens",
] as const;

/** Responses of a service or of a proxy in front of it. Each repeats the credential of the request. */
const answers = [
  "echo400",
  "echo401",
  "echo403",
  "echo429",
  "echo500",
  "older",
  "html",
  "destroy",
  "truncated",
  "echo200",
  "redirect",
] as const;

const secret = fc
  .string({ unit: fc.constantFrom(..."abcdefghijklmnopqrstuvwxyz0123456789-._~+/=$&"), minLength: 20, maxLength: 40 })
  .map((text) => `s3cr3t${text}`);

describe("credentials", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "webextract-secrecy-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("never appear in errors (text, JSON, inspected, causes), logs, warnings or the client itself", async function () {
    this.timeout(120_000);
    const waits = skipWaits();
    try {
      await fc.assert(
        fc.asyncProperty(
          secret,
          fc.constantFrom(...places),
          fc.constantFrom(...answers),
          fc.constantFrom(...operationNames),
          async (value, place, answer, name) => {
            rmSync(join(folder, "store"), { recursive: true, force: true });
            let known = false;
            const server = await startFakeServer((seen, response) => {
              known ||= JSON.stringify(seen).includes(value);
              if (seen.url === "/token" && place.startsWith("new")) {
                known = true;
                const pair = place === "newAccessToken" ? [value, "other-refresh"] : ["other-access", value];
                const data = { access_token: pair[0], refresh_token: pair[1], expires_in: 1, token_type: "Bearer" };
                json(response, 200, { data, requestId: "q" });
                return;
              }
              // A service can repeat only what the request contains.
              respond(answer, known ? value : "nothing", seen.headers, seen.body, response);
            });
            const said: string[] = [];
            const printed = join(folder, "printed");
            const credential = { Version: 1, AccessToken: place === "credentialCommand" ? value : "other-access" };
            writeFileSync(printed, place === "commandThatFails" ? value : JSON.stringify(credential));
            // A command line can contain the key to a vault.
            const key = place === "commandText" ? `: '${value}'; ` : "";
            const command = `${key}cat "${printed}"${place === "commandThatFails" ? "; exit 3" : ""}`;
            const behindProxy = place === "proxyPassword";
            known ||= behindProxy;
            const { port } = new URL(server.baseUrl);
            const proxy = behindProxy ? `http://user:${encodeURIComponent(value)}@127.0.0.1:${port}` : undefined;
            const restore = setEnvironment({ HTTP_PROXY: proxy });
            const client = new ServiceClient({
              baseUrl: behindProxy ? "http://service.test" : server.baseUrl,
              allowInsecureHttp: true,
              accessToken:
                place === "accessToken" ? value : place === "apiKey" || behindProxy ? "other-access" : undefined,
              refreshToken: place === "refreshToken" ? value : place.startsWith("new") ? "start-token" : undefined,
              apiKey: place === "apiKey" ? value : "other-api-key",
              credentialCommand: place.startsWith("c") ? command : undefined,
              tokenStore: join(folder, "store"),
              maxRetries: 1,
              busyTimeoutSeconds: 1,
              logLevel: "trace",
              log: (line) => said.push(line),
              warn: (line) => said.push(line),
            });
            try {
              for (let turn = 0; turn < 2; turn += 1) {
                const result = await exampleCalls[name].send(client).catch((error: unknown) => error);
                if (!(result instanceof Error)) continue;
                said.push(
                  String(result),
                  JSON.stringify(result),
                  inspect(result, { depth: 20, showHidden: true }),
                  String(result.stack),
                );
                said.push(inspect(result.cause, { depth: 20, showHidden: true }));
              }
              said.push(
                inspect(client, { depth: 20, showHidden: true }),
                JSON.stringify(client),
                JSON.stringify(client.describeCredentials()),
              );
            } finally {
              restore();
              client.close();
              await server.close();
            }
            for (const text of said) assert.ok(!text.includes(value), `found in: ${text}`);
          },
        ),
        runs(300),
      );
    } finally {
      waits.restore();
    }
  });

  it("that contain a line break, or are part of the address, are refused without being shown", () => {
    assert.throws(
      () =>
        new ServiceClient({
          baseUrl: "https://s3cr3t-user:s3cr3t-word@host/",
          accessToken: "s3cr3t\ntoken",
          apiKey: "s3cr3t key",
        }),
      (error: Error) => {
        assert.match(error.message, /baseUrl must not hold a user name.*accessToken contains.*apiKey contains/);
        assert.doesNotMatch(inspect(error, { showHidden: true }).replace(/at .*/g, ""), /s3cr3t/);
        return true;
      },
    );
  });

  for (const baseUrl of [
    "http://service.example",
    "http://10.0.0.1",
    "ftp://service.example",
    "http://localhost.example",
  ]) {
    it(`are not sent to ${baseUrl}`, () => {
      assert.throws(() => new ServiceClient({ baseUrl }), /baseUrl/);
    });
  }
  for (const baseUrl of ["http://localhost:1", "http://127.0.0.1:1/", "http://[::1]:1"]) {
    it(`are sent to ${baseUrl}, if a service is there`, async () => {
      const client = new ServiceClient({ baseUrl, accessToken: "a", maxRetries: 0 });
      const { kind } = await errorOf(client.markExported({ taskId: "t" }));
      client.close();
      assert.equal(kind, "unreachable");
    });
  }
});

function respond(
  answer: (typeof answers)[number],
  value: string,
  headers: import("node:http").IncomingHttpHeaders,
  body: string,
  response: import("node:http").ServerResponse,
): void {
  const echo = `you sent ${value} and ${JSON.stringify(headers)} and ${body} and ${encodeURIComponent(value)}`;
  if (answer === "html")
    response
      .writeHead(502, { "content-type": `text/html; x=${value.replace(/[^\w-]/g, "")}` })
      .end(`<html>${echo}</html>`);
  else if (answer === "destroy") response.socket?.destroy();
  else if (answer === "older") json(response, 400, { error: value, error_Description: echo });
  else if (answer === "redirect")
    response.writeHead(302, { location: `http://127.0.0.1:1/${encodeURIComponent(value)}` }).end(echo);
  else if (answer === "truncated") json(response, 200, `{"requestId":"${value.replace(/["\\]/g, "")}","data":`);
  else if (answer === "echo200") json(response, 200, { requestId: value, data: { [value]: value, status: 7 } });
  else json(response, Number(answer.slice(4)), { error: { code: value, message: echo }, requestId: value });
}
