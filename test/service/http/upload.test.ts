import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { UploadSource } from "../../../src/service";
import { ServiceClient } from "../../../src/service";
import type { FakeServer } from "../fakeServer";
import { json, startFakeServer } from "../fakeServer";

const content = "https://a.example/1\nhttps://a.example/2\n";
const sha256 = createHash("sha256").update(content).digest("hex");

describe("the upload of start URLs", () => {
  let server: FakeServer;
  let client: ServiceClient;
  beforeEach(async () => {
    server = await startFakeServer((_seen, response) => json(response, 200, { requestId: "q" }));
    client = new ServiceClient({ baseUrl: server.baseUrl, apiKey: "key-of-the-account", maxRetries: 0 });
  });
  afterEach(async () => {
    client.close();
    await server.close();
  });
  const send = (file: UploadSource) => client.updateTaskUrls({ taskId: "t", file });
  const open = () => Readable.from([Buffer.from(content.slice(0, 7)), Buffer.from(content.slice(7))]);

  it("contains the file and the task, whether or not the length is known", async () => {
    for (const size of [content.length, undefined]) await send({ name: "list of urls.txt", size, sha256, open });
    for (const seen of server.seen) {
      assert.ok(seen.body.includes(`\r\n\r\n${content}\r\n--`));
      assert.match(seen.body, /name="taskId"\r\n\r\nt\r\n/);
      assert.match(seen.body, /filename="list of urls.txt"/);
    }
    assert.deepEqual(
      server.seen.map(({ headers }) => [headers["content-length"] !== undefined, headers["transfer-encoding"]]),
      [
        [true, undefined],
        [false, "chunked"],
      ],
    );
  });

  it("contains an empty file, whether or not its length is known", async () => {
    for (const size of [0, undefined]) await send({ size, open: () => Readable.from([]) });
    for (const { body } of server.seen) {
      assert.match(body, /name="file"; filename="urls\.txt"\r\nContent-Type: [^\r\n]+\r\n\r\n\r\n--/);
    }
    assert.equal(server.seen.length, 2);
  });

  it("accepts any characters in a file name", async () => {
    await send({ name: 'a"b\r\nc.txt', size: content.length, open });
    assert.ok(server.seen[0]?.body.includes('filename="a%22b%0D%0Ac.txt"\r\n'));
  });

  it("accepts strings and bytes from a source", async () => {
    const pieces = [content.slice(0, 5), new Uint8Array(Buffer.from(content.slice(5)))];
    await send({ size: content.length, sha256, open: () => Readable.from(pieces) });
    assert.ok(server.seen[0]?.body.includes(`\r\n\r\n${content}\r\n--`));
  });

  describe("to a service that refuses it with the task in the form", () => {
    /** Each refusal has a requestId of its own, as those of services do. */
    let last = 0;
    const refusal = (code: string, message: string) => () => ({
      error: { code, message },
      requestId: `refusal-${++last}`,
    });
    const done = () => ({ requestId: "done" });
    type Reply = () => object;
    const noTaskId = refusal("InvalidParameter.Required", "taskId is required");
    const noUrl = refusal("InvalidParameter", "the file has no URL");

    async function uploads(replies: { field: Reply; query: Reply }, count = 1): Promise<[string[], unknown]> {
      const service = await startFakeServer(({ url }, response) => {
        const body = replies[url.includes("?") ? "query" : "field"]();
        json(response, "error" in body ? 400 : 200, body);
      });
      const uploader = new ServiceClient({ baseUrl: service.baseUrl, apiKey: "key-of-the-account", maxRetries: 0 });
      let failure: unknown;
      for (let n = 0; n < count; n += 1) {
        failure = await uploader.updateTaskUrls({ taskId: "t/1", file: { open } }).then(
          () => undefined,
          (error: { said?: string }) => error.said,
        );
      }
      uploader.close();
      await service.close();
      const sent = service.seen.map(({ url, body }) => `${url}${body.includes('name="taskId"') ? " and form" : ""}`);
      assert.ok(service.seen.every(({ body }) => body.includes(`\r\n\r\n${content}\r\n--`)));
      return [sent, failure];
    }
    const form = "/task/urls:file and form";
    const query = "/task/urls:file?taskId=t%2F1";

    for (const code of ["InvalidParameter", "InvalidParameter.Required", "RequestModelNull"]) {
      it(`has the task in the query after ${code}, and further ones at once`, async () => {
        const result = await uploads({ field: refusal(code, "no such form"), query: done }, 2);
        assert.deepEqual(result, [[form, query, query], undefined]);
      });
    }

    it("fails with the refusal that is not about the place of the task", async () => {
      assert.deepEqual(await uploads({ field: noUrl, query: noTaskId }), [[form, query], "the file has no URL"]);
      assert.deepEqual(await uploads({ field: noTaskId, query: noUrl }), [[form, query], "the file has no URL"]);
    });

    it("is not sent again after a refusal for another reason, or where the form was taken before", async () => {
      const gone = refusal("TaskNotBelongToYou", "This TaskId is not belong to you!");
      assert.deepEqual((await uploads({ field: gone, query: done }))[0], [form]);
      let turn = 0;
      const field = () => (++turn === 1 ? done() : noUrl());
      assert.deepEqual(await uploads({ field, query: done }, 2), [[form, form], "the file has no URL"]);
    });
  });

  for (const [what, file] of [
    ["gives neither bytes nor strings", { open: () => Readable.from([{ a: 1 }]) }],
    ["is not a stream", { open: () => 7 as unknown as Readable }],
    ["is destroyed midway", { open: () => destroyedMidway() }],
    ["is destroyed before it is read", { open: () => Readable.from([content]).destroy() }],
    ["fails midway", { open: () => destroyedMidway(new Error("the disk is gone")) }],
    ["is empty, but has an announced size", { size: 1, open: () => Readable.from([]) }],
    ["is not empty, but has the announced size 0", { size: 0, open }],
    ["has another digest than the checked file", { size: content.length, sha256: "0".repeat(64), open }],
    ["is shorter than announced", { size: content.length + 1, open }],
    ["is longer than announced", { size: content.length - 1, open }],
    ["cannot be read", { open: () => createReadStream("/nowhere/urls.txt") }],
    [
      "cannot be opened",
      {
        open: () => {
          throw new Error("no file");
        },
      },
    ],
  ] as [string, UploadSource][]) {
    it(`is not completed if the file ${what}`, async () => {
      await assert.rejects(send(file), { kind: "invalidRequest", outcome: "notExecuted" });
      assert.equal(server.seen.length, 0);
    });
  }

  it("opens the file again for each attempt", async () => {
    let opened = 0;
    const flaky = await startFakeServer((_seen, response, turn) =>
      turn === 1 ? response.socket?.destroy() : json(response, 200, { requestId: "q" }),
    );
    const retrying = new ServiceClient({ baseUrl: flaky.baseUrl, apiKey: "key-of-the-account" });
    await retrying.updateTaskUrls({
      taskId: "t",
      file: {
        open: () => {
          opened += 1;
          return open();
        },
      },
    });
    assert.equal(opened, 2);
    retrying.close();
    await flaky.close();
  });

  it("closes the file when the request is aborted", async () => {
    const folder = mkdtempSync(join(tmpdir(), "webextract-upload-"));
    const path = join(folder, "urls.txt");
    writeFileSync(path, content.repeat(100_000));
    const stalling = http.createServer(() => undefined);
    stalling.listen(0, "127.0.0.1");
    await once(stalling, "listening");
    const { port } = stalling.address() as AddressInfo;
    const impatient = new ServiceClient({
      baseUrl: `http://127.0.0.1:${port}`,
      apiKey: "key-of-the-account",
      maxRetries: 0,
      timeoutSeconds: 0.2,
    });
    const file = createReadStream(path);
    const closed = once(file, "close");
    await assert.rejects(impatient.updateTaskUrls({ taskId: "t", file: { open: () => file } }), {
      kind: "outcomeUnknown",
    });
    await closed;
    impatient.close();
    stalling.closeAllConnections();
    stalling.close();
    rmSync(folder, { recursive: true });
  });

  it("reads the file as fast as the service accepts it", async () => {
    const piece = Buffer.alloc(64 * 1024, "a");
    const pieces = 1024;
    let read = 0;
    const open = () =>
      Readable.from(
        (function* () {
          for (; read < pieces; read += 1) yield piece;
        })(),
      );
    let readBefore = 0;
    let taken = 0;
    const slow = http.createServer((request, response) => {
      // The server reads nothing until the client can only wait.
      untilItStops(() => read).then((count) => {
        readBefore = count;
        request.on("data", (chunk: Buffer) => {
          taken += chunk.length;
        });
        request.on("end", () => json(response, 200, { requestId: "q" }));
      });
    });
    slow.listen(0, "127.0.0.1");
    await once(slow, "listening");
    const { port } = slow.address() as AddressInfo;
    const patient = new ServiceClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: "key-of-the-account" });
    await patient.updateTaskUrls({ taskId: "t", file: { open } });
    assert.ok(readBefore > 0 && readBefore < pieces / 2, `${readBefore} of ${pieces} pieces were read`);
    assert.ok(taken > pieces * piece.length);
    patient.close();
    slow.close();
    await once(slow, "close");
  });

  it("uses the caller's name for a setting in its error", async () => {
    const settingName = (option: string): string => `the option --${option}`;
    const keyless = new ServiceClient({ baseUrl: server.baseUrl, settingName });
    await assert.rejects(keyless.updateTaskUrls({ taskId: "t", file: { open } }), {
      message: /no API key is configured. Set the option --apiKey.$/,
    });
    await assert.rejects(keyless.getActions({ taskIds: ["t"], actionTypes: ["a"] }), {
      message: /Otherwise, set the option --accessToken, the option --refreshToken or the option --credentialCommand.$/,
    });
    keyless.close();
  });

  it("fails with an error that asks for an API key if none is configured", async () => {
    const keyless = new ServiceClient({ baseUrl: server.baseUrl, accessToken: "access" });
    await assert.rejects(keyless.updateTaskUrls({ taskId: "t", file: { open } }), {
      kind: "credential",
      message: /Set apiKey/,
    });
    const bearer = new ServiceClient({ baseUrl: server.baseUrl, accessToken: "access-token", credentials: "bearer" });
    await bearer.updateTaskUrls({ taskId: "t", file: { open } });
    assert.equal(server.seen[0]?.headers.authorization, "Bearer access-token");
    bearer.close();
    keyless.close();
  });
});

/** The count after it has stayed the same for many turns of the event loop. */
async function untilItStops(count: () => number): Promise<number> {
  let same = 0;
  for (let before = -1; same < 200; before = count()) {
    await new Promise(setImmediate);
    same = count() === before ? same + 1 : 0;
  }
  return count();
}

/** A source that closes after its first piece, without an `end` event. */
function destroyedMidway(error?: Error): Readable {
  let isFirst = true;
  return new Readable({
    read() {
      if (isFirst) this.push("https://a.example/1\n");
      else this.destroy(error);
      isFirst = false;
    },
  });
}
