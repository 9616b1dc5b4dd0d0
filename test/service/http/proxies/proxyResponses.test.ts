import assert from "node:assert/strict";
import { Readable } from "node:stream";
import type { ServiceClientOptions } from "../../../../src/service";
import { ServiceClient } from "../../../../src/service";
import { exampleCalls } from "../../calls";
import { errorOf } from "../../errors/errorOf";
import type { FakeServer } from "../../fakeServer";
import { json, startFakeServer } from "../../fakeServer";
import { skipWaits } from "../../skipWaits";
import type { ProxyResponse } from "./proxyResponses";
import { afterTheEffect, beforeTheEffect } from "./proxyResponses";

const append = { actionId: "a", loopType: "TextList", loopItems: ["x"], isAppend: true };

/** The requests that must not be executed twice. */
const once: Record<string, (client: ServiceClient) => Promise<unknown>> = {
  "a copy": exampleCalls.copyTask.send,
  "a start": exampleCalls.startTask.send,
  "an append": (client) => client.updateLoopItems({ taskId: "t", ...append }),
  "an append among parameters": (client) =>
    client.updateTaskParameters({
      taskId: "t",
      actions: [{ actionType: "LoopAction", actionId: "a", loopItems: append }],
    }),
  "a mark": exampleCalls.markExported.send,
  "a removal": exampleCalls.removeData.send,
  "a refresh": exampleCalls.refreshToken.send,
};

describe("a response of a proxy", () => {
  let server: FakeServer;
  let answer: ProxyResponse;
  let clients: ServiceClient[];
  const warnings: string[] = [];
  beforeEach(async () => {
    clients = [];
    warnings.length = 0;
    server = await startFakeServer((_seen, response) =>
      response.writeHead(answer.status, answer.headers).end(answer.body),
    );
  });
  afterEach(async () => {
    for (const client of clients) client.close();
    await server.close();
  });

  function clientWith(options: Partial<ServiceClientOptions> = {}): ServiceClient {
    const warn = (message: string) => warnings.push(message);
    const client = new ServiceClient({ baseUrl: server.baseUrl, accessToken: "a", apiKey: "k", warn, ...options });
    clients.push(client);
    return client;
  }

  for (const response of afterTheEffect) {
    for (const [what, send] of Object.entries(once)) {
      it(`leaves the outcome of ${what} unknown, and it is sent once: ${response.name}`, async () => {
        answer = response;
        const error = await errorOf(send(clientWith({ refreshToken: "r" })));
        assert.deepEqual([error.outcome, server.seen.length], ["unknown", 1]);
        assert.match(error.hint, /may (now )?(exist|be)|may have started/);
      });
    }
  }

  for (const [what, send] of Object.entries(once)) {
    it(`proves that ${what} was not executed, if it comes before the request is handed on`, async () => {
      answer = beforeTheEffect;
      const error = await errorOf(send(clientWith()));
      assert.deepEqual([error.kind, error.outcome], ["refused", "notExecuted"]);
    });
  }

  describe("says who responded and what to do, as far as it shows them:", () => {
    async function messageOf(response: ProxyResponse, send = exampleCalls.getData.send): Promise<string> {
      answer = response;
      return (await errorOf(send(clientWith({ maxRetries: 0 })))).message;
    }
    const [page, , foreign] = afterTheEffect;
    assert.ok(page !== undefined && foreign !== undefined);

    it("the name of the server, and the address to check", async () => {
      assert.match(
        await messageOf(page),
        /the response was 404 without an error of the service \(text\/html\), probably from a proxy in front of it \(Server: nginx\/1\.22\.1\)\. Check that baseUrl is the address of/,
      );
    });

    it("a proxy that may have refused the request, after a 403 without a code", async () => {
      const squid = afterTheEffect.find(({ status }) => status === 403) ?? assert.fail();
      const message = await messageOf(squid);
      assert.match(
        message,
        /403 .*\(Server: squid\/5\.7, Via: .*check the account's plan and rights\. Or a proxy on the way refused/,
      );
    });

    it("an error that is not known to refuse the operation", async () => {
      const message = await messageOf(foreign, exampleCalls.copyTask.send);
      assert.match(message, /404 NotFound: "there is no such operation", which is not known to mean that copyTask was/);
    });

    it("a sentence in place of a code", async () => {
      const answered = afterTheEffect.find(({ status }) => status === 200);
      assert.ok(answered !== undefined);
      assert.match(
        await messageOf(answered),
        /the response was 200: "upstream request timeout", not in the form of the service's errors \(Server: envoy\)/,
      );
    });

    it("the size of a file that is too large", async () => {
      const file = { size: 27, open: () => Readable.from([Buffer.from("https://a.example/?s3cr3t=1")]) };
      const upload = (client: ServiceClient) => client.updateTaskUrls({ taskId: "t", file });
      const message = await messageOf(beforeTheEffect, upload);
      assert.match(message, /413 .*nginx\/1\.22\.1.* limits the size of requests .*: the file has 27 bytes\. Raise/);
      const list = await messageOf(beforeTheEffect, exampleCalls.updateLoopItems.send);
      assert.match(list, /the request has \d\d+ bytes/);
    });

    it("the target of a redirect, without its query", async () => {
      const location = "https://login.example/sign-in?token=s3cr3t-word-1#s3cr3t-word-2";
      const message = await messageOf({ name: "a portal", status: 302, headers: { location }, body: "" });
      assert.match(message, /302, a redirect to https:\/\/login\.example\/sign-in, and redirects are not followed/);
      assert.doesNotMatch(message, /s3cr3t/);
    });

    it("a proxy that may have removed the credential, after a 401 without a code", async () => {
      const headers = { via: "1.1 proxy (squid/5.7)" };
      const message = await messageOf({ name: "Squid", status: 401, headers, body: "" });
      assert.match(message, / failed: the response was 401 .*\(Via: 1\.1 proxy \(squid\/5\.7\)\)\. Set a valid/);
      assert.match(
        message,
        /removed the credential from the request \(Squid as a reverse proxy does, without login=PASS/,
      );
    });

    it("the service's own words after a 401 with a code", async () => {
      const error = { code: "Invalid.Token", message: "getData needs the header Authorization: Bearer" };
      const body = JSON.stringify({ error, requestId: "q" });
      const message = await messageOf({ name: "the service", status: 401, headers: {}, body });
      assert.match(message, / failed: the service responded with 401 Invalid\.Token: "getData needs the header/);
      assert.doesNotMatch(message, /proxy/);
    });

    it("a limit of uploads, if each attempt is cut off", async () => {
      const waits = skipWaits();
      const cutting = await startFakeServer((_seen, response) => response.socket?.destroy());
      try {
        const client = clientWith({ baseUrl: cutting.baseUrl, maxRetries: 1 });
        const { message } = await errorOf(exampleCalls.updateTaskUrls.send(client));
        assert.match(message, /Tried 2 times\. .*a proxy on the way may limit uploads: the file has 40 bytes\./);
      } finally {
        waits.restore();
        await cutting.close();
      }
    });

    it("no header that hides what follows", async () => {
      const headers = { server: "x\u00ad\u00a0s3cr3t", via: `Bearer s3cr3t-token-123 ${"y".repeat(5000)}` };
      const message = await messageOf({ name: "a liar", status: 404, headers, body: "" });
      assert.doesNotMatch(message, /[\p{Cc}\p{Cf}]|s3cr3t-token/u);
      assert.ok(message.length < 1200, String(message.length));
    });
  });
});

describe("a cache on the way", () => {
  let server: FakeServer;
  let client: ServiceClient;
  const warnings: string[] = [];
  beforeEach(async () => {
    warnings.length = 0;
    const body = { requestId: "q", data: [{ subTaskId: "s1", status: "Extracting" }] };
    server = await startFakeServer((_seen, response, turn) =>
      json(response, 200, body, { age: String((turn - 1) * 10), via: "1.1 varnish (Varnish/7.1)" }),
    );
    client = new ServiceClient({ baseUrl: server.baseUrl, accessToken: "a", warn: (line) => warnings.push(line) });
  });
  afterEach(async () => {
    client.close();
    await server.close();
  });

  it("is asked to store nothing", async () => {
    await client.allSubtasks("t");
    assert.equal(server.seen[0]?.headers["cache-control"], "no-store");
  });

  it("that sends a stored response causes one warning, which says what it means", async () => {
    await exampleCalls.getSubtasks.send(client);
    assert.deepEqual([warnings, client.cacheAge], [[], undefined]);
    for (let reads = 0; reads < 3; reads += 1) await exampleCalls.getSubtasks.send(client);
    assert.equal(warnings.length, 1);
    assert.match(
      warnings[0] ?? "",
      /getSubtasks \(GET .*\): a cache .* stored 10 s before \(Age\)\. Waits see a run late/,
    );
    assert.equal(client.cacheAge, 30);
    assert.equal(client.answeredBy, "Via: 1.1 varnish (Varnish/7.1)");
  });
});
