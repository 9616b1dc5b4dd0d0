import assert from "node:assert/strict";
import { Readable } from "node:stream";
import type { Emulator } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import type { ServiceClientOptions } from "../../../../src/service";
import { ServiceClient } from "../../../../src/service";
import { errorOf } from "../../errors/errorOf";
import { skipWaits } from "../../skipWaits";
import { afterTheEffect } from "./proxyResponses";
import type { ProxyName, RealProxy } from "./realProxy";
import { problemOfProxies, startProxy } from "./realProxy";

/** Each sends a response of its own after the service has made the copy; `index` is its place in `afterTheEffect`. */
const liars: readonly { index: number; name: ProxyName; settings: string; isReset: boolean }[] = [
  {
    index: 0,
    name: "nginx",
    settings: "error_page 502 504 /down.html; --- location = /down.html { root /nowhere; }",
    isReset: true,
  },
  {
    index: 1,
    name: "nginx",
    settings: "error_page 502 504 @down; --- location @down { root html; try_files /down.html =503; }",
    isReset: true,
  },
  { index: 2, name: "apache", settings: "ErrorDocument 502 /down.html", isReset: true },
  { index: 3, name: "squid", settings: "login=PASS\nreply_body_max_size 100 bytes", isReset: false },
];

describe("real proxies", function () {
  this.timeout(300_000);
  let emulator: Emulator;
  let proxy: RealProxy | undefined;
  const clients: ServiceClient[] = [];
  const warnings: string[] = [];

  before(async () => {
    const problem = problemOfProxies();
    assert.equal(problem, undefined, problem);
    emulator = await startEmulator({ behaviour: { credentialAcceptance: "either" } });
  });
  after(() => emulator.close());
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    await proxy?.close();
    emulator.clearFaults();
    emulator.clearRequests();
    warnings.length = 0;
  });

  async function clientThrough(name: ProxyName, settings = "", options: Partial<ServiceClientOptions> = {}) {
    proxy = await startProxy(name, emulator.url, settings);
    const { accessToken, apiKey } = emulator.credentials;
    const warn = (message: string) => warnings.push(message);
    const client = new ServiceClient({ baseUrl: proxy.url, accessToken, apiKey, maxRetries: 0, warn, ...options });
    clients.push(client);
    return client;
  }

  const copy = (client: ServiceClient) => client.copyTask({ taskId: "demo-template", taskGroupId: "demo-group" });
  const read = (client: ServiceClient) => client.getData({ taskId: "demo-template", offset: 0, size: 1 });
  const copies = () => emulator.requests.filter(({ operation, tookEffect }) => operation === "copyTask" && tookEffect);
  const loseResponses = (count: number) => {
    for (let each = 0; each < count; each += 1) {
      emulator.fault({ operation: "copyTask", kind: "reset", when: "after" });
    }
  };

  for (const { index, name, settings, isReset } of liars) {
    const recorded = afterTheEffect[index] ?? assert.fail();
    it(`leave the outcome of a copy unknown: ${recorded.name}`, async () => {
      const client = await clientThrough(name, settings);
      loseResponses(isReset ? 1 : 0);
      const error = await errorOf(copy(client));
      assert.deepEqual([error.status, error.outcome, copies().length], [recorded.status, "unknown", 1]);
      assert.equal(error.code, recorded.body.includes("NotFound") ? "NotFound" : undefined);
    });
  }

  it("that send one request twice: the settings of docs/explanation/lost-responses.md prevent it", async () => {
    const cases: [ProxyName, string, number][] = [
      ["varnish", "", 2],
      ["varnish", 'sub vcl_recv { if (req.method == "POST") { return (pipe); } }', 1],
      ["haproxy", "  retry-on all-retryable-errors\n  retries 3", 4],
      ["haproxy", "  retry-on all-retryable-errors\n  http-request disable-l7-retry if METH_POST", 1],
      ["nginx", "proxy_next_upstream error timeout non_idempotent;", 2],
      ["nginx", "proxy_next_upstream error timeout;", 1],
    ];
    for (const [name, settings, expected] of cases) {
      emulator.clearRequests();
      const client = await clientThrough(name, settings);
      // So that the proxy keeps a connection to the service.
      for (let reads = 0; reads < 4; reads += 1) await read(client);
      loseResponses(3);
      await copy(client).catch(() => undefined);
      assert.equal(copies().length, expected, `${name} ${settings}`);
      emulator.clearFaults();
      await proxy?.close();
    }
  });

  it("that drop the credential are named in the error, and Squid passes it on with login=PASS", async () => {
    const error = await errorOf(read(await clientThrough("squid")));
    assert.match(
      error.message,
      / (?:failed|did nothing): the service responded with 401 .*needs the header Authorization/,
    );
    await proxy?.close();
    await read(await clientThrough("squid", "login=PASS"));
  });

  it("that limit uploads are named, with the size of the file", async () => {
    const waits = skipWaits();
    try {
      const text = "https://a.test/1\n".repeat(20_000);
      const file = { size: text.length, open: () => Readable.from([Buffer.from(text)]) };
      for (const [name, settings] of [
        ["nginx", "client_max_body_size 100k;"],
        ["squid", "login=PASS\nrequest_body_max_size 100 KB"],
      ] as const) {
        const client = await clientThrough(name, settings, { maxRetries: 1 });
        const { message } = await errorOf(client.updateTaskUrls({ taskId: "demo-template", file }));
        assert.match(message, /proxy.*: the file has 340000 bytes/, message);
        await proxy?.close();
      }
    } finally {
      waits.restore();
    }
  });

  it("that answer from a cache, although a request says no-store, cause a warning", async () => {
    const client = await clientThrough("varnish", "", { credentials: "apiKey", accessToken: undefined });
    const first = await read(client);
    let latest = first;
    // Varnish counts the age in seconds.
    while (warnings.length === 0 && latest.requestId === first.requestId) latest = await read(client);
    assert.match(
      warnings[0] ?? "",
      /getData \(GET \/data\/all\): a cache on the way sent a response that it had stored/,
    );
    assert.ok(client.answeredBy?.includes("X-Varnish"));
  });
});
