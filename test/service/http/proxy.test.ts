import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect, promisify } from "node:util";
import { generate } from "selfsigned";
import type { OperationName, ServiceClientOptions } from "../../../src/service";
import { operations, optionProblems, ServiceClient } from "../../../src/service";
import { setEnvironment, slowIt } from "../../environment";
import { exampleCalls, goodAnswer, operationNames } from "../calls";
import { errorOf } from "../errors/errorOf";
import type { FakeServer } from "../fakeServer";
import { json, startFakeServer } from "../fakeServer";
import { skipWaits } from "../skipWaits";
import type { FakeProxy, OnTunnel } from "./fakeProxy";
import { startFakeProxy } from "./fakeProxy";

const run = promisify(execFile);
const variables = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY"].flatMap((name) => [name, name.toLowerCase()]);

describe("a proxy that the environment sets", function () {
  this.timeout(30_000);
  let folder: string;
  let certificate: string;
  let service: https.Server;
  let servicePort: number;
  const seen: { name: string; headers: NodeJS.Dict<string | string[]> }[] = [];
  let proxy: FakeProxy | undefined;
  const clients: ServiceClient[] = [];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "webextract-proxy-"));
    const pems = await generate([{ name: "commonName", value: "service.test" }], {
      extensions: [{ name: "subjectAltName", altNames: [{ type: 2, value: "service.test" }] }],
    });
    certificate = join(folder, "certificate.pem");
    writeFileSync(certificate, pems.cert);
    service = https.createServer({ key: pems.private, cert: pems.cert }, (request, response) => {
      const path = request.url?.split("?")[0]?.replace("/v1", "");
      const name = operationNames.find((known) => path === operations[known].path) ?? "getData";
      seen.push({ name, headers: request.headers });
      request.resume();
      request.on("end", () => json(response, 200, goodAnswer(name)));
    });
    service.listen(0, "127.0.0.1");
    await once(service, "listening");
    servicePort = (service.address() as AddressInfo).port;
  });
  after(async () => {
    service.closeAllConnections();
    service.close();
    await once(service, "close");
    rmSync(folder, { recursive: true, force: true });
  });

  let restore = (): void => undefined;
  beforeEach(() => {
    seen.length = 0;
    restore = setEnvironment(Object.fromEntries(variables.map((name) => [name, undefined])));
  });
  afterEach(async () => {
    restore();
    for (const client of clients.splice(0)) client.close();
    await proxy?.close();
    proxy = undefined;
  });

  async function startProxy(onTunnel?: OnTunnel): Promise<FakeProxy> {
    proxy = await startFakeProxy(servicePort, onTunnel);
    return proxy;
  }

  /** The results of the calls in a process that starts with these variables and trusts the service's certificate. */
  async function inProcess(env: NodeJS.ProcessEnv, baseUrl: string, ...calls: OperationName[]) {
    const { stdout, stderr } = await run(
      process.execPath,
      ["-r", "tsx/cjs", join(__dirname, "proxyClient.ts"), baseUrl, ...calls],
      { env: { PATH: process.env.PATH, NODE_EXTRA_CA_CERTS: certificate, ...env } },
    );
    return { outcomes: stdout.trim().split("\n"), said: stdout + stderr };
  }

  /** A client in this process, which does not trust the certificate: for errors before the TLS handshake is complete. */
  function clientHere(options: Partial<ServiceClientOptions> = {}): ServiceClient {
    const client = new ServiceClient({
      baseUrl: "https://service.test/v1",
      accessToken: "access-token",
      apiKey: "key-of-the-account",
      maxRetries: 0,
      ...options,
    });
    clients.push(client);
    return client;
  }

  it("opens a tunnel for https, and sees neither paths nor credentials", async () => {
    const { port, tunnels, requests } = await startProxy();
    const { outcomes } = await inProcess(
      { HTTPS_PROXY: `http://127.0.0.1:${port}` },
      "https://service.test/v1",
      "getData",
      "updateActionProperties",
      "updateTaskUrls",
    );
    assert.deepEqual(outcomes, ["answered", "answered", "answered"]);
    assert.deepEqual(
      seen.map(({ headers }) => [headers.authorization, headers["x-api-key"]]),
      [
        ["Bearer access-token", undefined],
        ["Bearer access-token", undefined],
        [undefined, "key-of-the-account"],
      ],
    );
    assert.deepEqual(requests, []);
    for (const tunnel of tunnels) {
      assert.equal(tunnel.target, "service.test:443");
      assert.doesNotMatch(JSON.stringify(tunnel.headers), /access-token|key-of-the-account|authorization/i);
      assert.doesNotMatch(tunnel.bytes(), /access-token|key-of-the-account|\/v1/);
    }
  });

  slowIt(
    "gives one tunnel to all repeatable requests, and a tunnel of its own to each request that must run once",
    async () => {
      const { port, tunnels } = await startProxy();
      await inProcess(
        { https_proxy: `http://127.0.0.1:${port}` },
        "https://service.test/v1",
        "getData",
        "getSubtasks",
        "getData",
        "startTask",
        "copyTask",
      );
      assert.equal(seen.length, 5);
      assert.equal(tunnels.length, 3);
    },
  );

  it("gets its own user name and password, and the service does not get them", async () => {
    const { port, tunnels } = await startProxy();
    const { outcomes, said } = await inProcess(
      { HTTPS_PROXY: `http://us%40er:p%3Ass-w0rd-of-the-proxy@127.0.0.1:${port}`, DEBUG: "*" },
      "https://service.test/v1",
      "getData",
    );
    assert.equal(outcomes.at(-1), "answered");
    const sent = Buffer.from("us@er:p:ss-w0rd-of-the-proxy").toString("base64");
    assert.equal(tunnels[0]?.headers["proxy-authorization"], `Basic ${sent}`);
    assert.equal(seen[0]?.headers["proxy-authorization"], undefined);
    assert.ok(!said.includes("ss-w0rd") && !said.includes(sent), said);
  });

  it("is not used if NO_PROXY names the service", async () => {
    const { port, tunnels } = await startProxy();
    for (const exception of ["service.test", ".test", "*"]) {
      process.env.HTTPS_PROXY = `http://127.0.0.1:${port}`;
      process.env.NO_PROXY = `other.example,${exception}`;
      const error = await errorOf(clientHere().getData({ taskId: "t", offset: 0, size: 1 }));
      assert.match(error.message, /ENOTFOUND|EAI_AGAIN/);
    }
    assert.equal(tunnels.length, 0);
  });

  it("is not used for a service on this machine, because plain http would show it the credential", async () => {
    const { port, tunnels, requests } = await startProxy();
    process.env.HTTP_PROXY = `http://127.0.0.1:${port}`;
    process.env.ALL_PROXY = `http://127.0.0.1:${port}`;
    const local: FakeServer = await startFakeServer((_seen, response) => json(response, 200, { requestId: "q" }));
    await clientHere({ baseUrl: local.baseUrl }).markExported({ taskId: "t" });
    assert.equal(local.seen.length, 1);
    assert.deepEqual([tunnels.length, requests.length], [0, 0]);
    await local.close();
  });

  slowIt("gets plain http requests if plain http is allowed, with its own user name and password", async () => {
    const { port, requests } = await startProxy();
    const { outcomes } = await inProcess(
      { HTTP_PROXY: `http://us%40er:p%3Ass@127.0.0.1:${port}` },
      "http://service.test/v1",
      "markExported",
    );
    assert.deepEqual(outcomes, ["answered"]);
    assert.equal(requests[0]?.url, "http://service.test/v1/data/markexported");
    const sent = Buffer.from("us@er:p:ss").toString("base64");
    assert.equal(requests[0]?.headers["proxy-authorization"], `Basic ${sent}`);
  });

  slowIt("gets plain http if its address has no scheme", async () => {
    const { port, tunnels } = await startProxy((socket) => socket.end("HTTP/1.1 403 Forbidden\r\n\r\n"));
    process.env.HTTPS_PROXY = `127.0.0.1:${port}`;
    await errorOf(clientHere().getData({ taskId: "t", offset: 0, size: 1 }));
    assert.equal(tunnels[0]?.target, "service.test:443");
  });

  for (const address of ["socks5://s3cr3t@host:1", "http://", "http://s3cr3t%zz@host:1", "http://us:s3cr3t#@host:1"]) {
    it(`is refused before any call if its address is not an http proxy, and the error does not show the address: ${address}`, () => {
      process.env.HTTPS_PROXY = address;
      assert.throws(
        () => clientHere(),
        (error: Error) =>
          /proxy that the environment sets.*percent-encoding/.test(error.message) && !/s3cr3t/.test(inspect(error)),
      );
      assert.equal(optionProblems({ baseUrl: "https://service.test" }).length, 1);
    });
  }

  for (const name of operationNames) {
    it(`that refuses the tunnel makes ${name} fail without a retry and as not executed`, async () => {
      const { port, tunnels } = await startProxy((socket) =>
        socket.end("HTTP/1.1 407 Proxy Authentication Required\r\nx-echo: s3cr3t-word\r\n\r\ns3cr3t-word"),
      );
      process.env.HTTPS_PROXY = `http://user:s3cr3t-word@127.0.0.1:${port}`;
      const error = await errorOf(exampleCalls[name].send(clientHere({ maxRetries: 5 })));
      assert.deepEqual([error.kind, error.outcome], ["unreachable", "notExecuted"]);
      assert.match(error.message, /no connection \(the proxy responded 407\).*proxy settings/);
      assert.doesNotMatch(inspect(error, { depth: 20, showHidden: true }), /s3cr3t/);
      assert.equal(tunnels.length, 1);
    });
  }

  it("that cannot open the tunnel at the moment is asked again, even for a start", async () => {
    const waits = skipWaits();
    try {
      const { port, tunnels } = await startProxy((socket) => socket.end("HTTP/1.1 503 Try later\r\n\r\n"));
      process.env.HTTPS_PROXY = `http://127.0.0.1:${port}`;
      const error = await errorOf(clientHere({ maxRetries: 2 }).startTask({ taskId: "t" }));
      assert.deepEqual([error.kind, error.outcome, tunnels.length], ["unreachable", "notExecuted", 3]);
    } finally {
      waits.restore();
    }
  });

  for (const baseUrl of ["https://service.test/v1", "http://service.test/v1"]) {
    it(`that is down is named in the error, not the service: ${baseUrl}`, async () => {
      const { port, close } = await startFakeProxy(servicePort);
      await close();
      Object.assign(process.env, {
        HTTPS_PROXY: `http://us:s3cr3t@127.0.0.1:${port}`,
        HTTP_PROXY: `http://127.0.0.1:${port}`,
      });
      const error = await errorOf(clientHere({ baseUrl, allowInsecureHttp: true }).startTask({ taskId: "t" }));
      assert.deepEqual([error.kind, error.outcome], ["unreachable", "notExecuted"]);
      assert.match(error.message, new RegExp(`no connection to the proxy 127\\.0\\.0\\.1:${port} \\(ECONNREFUSED\\)`));
      assert.match(error.hint, /Start the proxy, or correct HTTPS_PROXY/);
      assert.doesNotMatch(error.message, /s3cr3t/);
    });
  }

  it("gets an IPv6 address of the service in brackets", async () => {
    const { port, tunnels } = await startProxy((socket) => socket.end("HTTP/1.1 403 Forbidden\r\n\r\n"));
    process.env.HTTPS_PROXY = `http://127.0.0.1:${port}`;
    await errorOf(clientHere({ baseUrl: "https://[2001:db8::1]/v1" }).getActions({ taskIds: ["t"], actionTypes: [] }));
    assert.equal(tunnels[0]?.target, "[2001:db8::1]:443");
  });

  it("that closes the connection leaves the outcome not executed", async () => {
    const { port } = await startProxy((socket) => socket.destroy());
    process.env.HTTPS_PROXY = `http://127.0.0.1:${port}`;
    const error = await errorOf(clientHere().startTask({ taskId: "t" }));
    assert.deepEqual([error.kind, error.outcome], ["unreachable", "notExecuted"]);
  });

  it("that does not respond is disconnected when the caller aborts the call or its time is over", async () => {
    const controller = new AbortController();
    const { port, tunnels } = await startProxy((_socket, turn) => {
      if (turn === 1) controller.abort();
    });
    process.env.HTTPS_PROXY = `http://127.0.0.1:${port}`;
    const ended = await errorOf(clientHere().startTask({ taskId: "t" }, { signal: controller.signal }));
    assert.deepEqual([ended.kind, ended.outcome], ["aborted", "notExecuted"]);
    await tunnels[0]?.closed;
    const late = await errorOf(clientHere({ timeoutSeconds: 0.1 }).startTask({ taskId: "t" }));
    assert.deepEqual([late.kind, late.outcome], ["unreachable", "notExecuted"]);
    await tunnels[1]?.closed;
  });

  it("does not disable the check of the service's certificate, and an untrusted service gets no request", async () => {
    const { port, tunnels } = await startProxy();
    process.env.HTTPS_PROXY = `http://127.0.0.1:${port}`;
    const error = await errorOf(clientHere().startTask({ taskId: "t" }));
    assert.deepEqual([error.kind, error.outcome], ["unreachable", "notExecuted"]);
    assert.match(error.message, /DEPTH_ZERO_SELF_SIGNED_CERT.*NODE_EXTRA_CA_CERTS/);
    assert.deepEqual([tunnels.length, seen.length], [1, 0]);
  });

  it("and a service whose certificate nobody known has signed lead to the setting for a private CA", async () => {
    const direct = clientHere({ baseUrl: `https://127.0.0.1:${servicePort}` });
    process.env.HTTPS_PROXY = `https://127.0.0.1:${servicePort}`;
    for (const client of [direct, clientHere()]) {
      const error = await errorOf(client.startTask({ taskId: "t" }));
      assert.deepEqual([error.kind, error.outcome], ["unreachable", "notExecuted"]);
      assert.match(error.hint, /does not know who signed the certificate.*set NODE_EXTRA_CA_CERTS/);
    }
    assert.equal(seen.length, 0);
  });
});
