import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import sinon from "sinon";
import type { Emulator } from "webextract-emulator";
import { parse } from "yaml";
import { isLarge, slowIt } from "../../test/environment";
import fc from "../../test/fastCheck";
import { operations } from "../../test/internals/service";
import { operationNames } from "../../test/service/calls";
import { admin } from "./admin/adminCaller";
import { call, credentialOf, startWith } from "./caller";
import { ByteBlocks } from "./internals";

interface Described {
  path: string;
  method: string;
  takesBody: boolean;
}

/** The operations of the admin API, from its description. */
function adminOperations(): Described[] {
  const { paths } = parse(readFileSync("emulator/admin.openapi.yaml", "utf8"));
  return Object.entries<Record<string, { requestBody?: unknown }>>(paths).flatMap(([path, methods]) =>
    ["get", "post", "put", "delete"].flatMap((method) => {
      const operation = methods[method];
      if (operation === undefined) return [];
      return [
        { path: path.replace("/__emulator", ""), method: method.toUpperCase(), takesBody: "requestBody" in operation },
      ];
    }),
  );
}

describe("the emulator under hostile requests", () => {
  let emulator: Emulator;
  let lines: string[];
  beforeEach(async () => {
    lines = [];
    emulator = await startWith([], { log: (line) => lines.push(line) });
  });
  afterEach(() => emulator.close());

  slowIt("takes ids of any length in every operation", async () => {
    for (const length of [99, 100, 101, 1000, 2000]) {
      const id = "x".repeat(length);
      // A PUT makes what its path names.
      const named = adminOperations().filter(({ path, method }) => path.includes("{") && method !== "PUT");
      for (const { path, method } of named) {
        const { status, json } = await admin(emulator, path.replace(/\{\w+\}/g, id), { method });
        assert.deepEqual([status, json.error.code], [404, "NotFound"], `${method} ${path} ${length}`);
        assert.ok(json.error.message.includes(id));
      }
      emulator.change.addTask({ taskId: id, taskGroupId: id, actions: [{ actionType: "LoopAction", actionId: id }] });
      assert.equal((await admin(emulator, `/tasks/${id}`)).json.taskId, id);
      const fields = { taskId: id, taskGroupId: id, taskIds: [id], actionTypes: ["LoopAction"], actionId: id, page: 1 };
      const shape = { offset: 0, size: 1, lotNo: id, loopType: "UrlList", loopItems: ["a"], subTaskIds: [id] };
      for (const name of operationNames) {
        const { status } = await call(emulator, name, { fields: { ...fields, ...shape }, file: "http://127.0.0.1:1/" });
        assert.ok(status === 200 || status === 400, `${name} ${length}: ${status}`);
      }
    }
  });

  it("keeps the bytes of a body together, also if each arrives alone", async () => {
    const joined = sinon.spy(Buffer, "concat");
    try {
      const urls = Array.from({ length: 500 }, (_, index) => `http://127.0.0.1:1/${index}`);
      const loop = { taskId: "template", actionId: "loop", loopType: "UrlList", loopItems: urls, isAppend: false };
      const json = { ...credentialOf(emulator, "bearer"), "content-type": "application/json" };
      assert.equal(await sendInBytes("updateLoopItems", JSON.stringify(loop), json), 200);
      const boundary = "limit";
      const part = (name: string, value: string) =>
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
      const form = `${part("taskId", "template")}${part('file"; filename="urls.txt', urls.join("\n"))}--${boundary}--\r\n`;
      const key = credentialOf(emulator, "apiKey");
      const multipart = { ...key, "content-type": `multipart/form-data; boundary=${boundary}` };
      assert.equal(await sendInBytes("updateTaskUrls", form, multipart), 200);
      assert.deepEqual(emulator.inspect.startUrls("template"), urls);
      assert.deepEqual(emulator.inspect.task("template")?.actions[1]?.loopItems, urls);
      emulator.exportState();
      const longest = Math.max(...joined.args.map(([parts]) => parts.length));
      assert.ok(longest < 50, `${longest} parts are kept`);
    } finally {
      joined.restore();
    }
  });

  /** Each byte is a chunk of its own. @returns the status. */
  async function sendInBytes(name: keyof typeof operations, body: string, headers: Record<string, string>) {
    const { method, path } = operations[name];
    const sent = request(`${emulator.url}${path}`, { method, headers });
    sent.cork();
    for (const byte of Buffer.from(body)) sent.write(Buffer.of(byte));
    sent.end();
    const [response] = await once(sent, "response");
    response.resume();
    return response.statusCode;
  }

  it("puts chunks of any size together, in few blocks", () => {
    const check = (chunks: Uint8Array[]) => {
      const content = new ByteBlocks();
      for (const chunk of chunks) content.add(chunk);
      const whole = Buffer.concat(chunks);
      assert.deepEqual(content.toBuffer(), whole);
      assert.equal(content.length, whole.length);
      assert.ok(content.blocks.length <= Math.log2(whole.length + 1) + whole.length / 65_536 + 2);
    };
    const chunk = fc.oneof(fc.uint8Array({ maxLength: 3 }), fc.constant(new Uint8Array(70_000)));
    fc.assert(fc.property(fc.array(chunk, { maxLength: 30 }), check));
    check(Array.from({ length: 300_000 }, () => Uint8Array.of(7)));
  });

  it("refuses a body that is nested too deeply, in every operation that takes JSON", async () => {
    const nested = (open: string, close: string, levels: number) => `${open.repeat(levels)}1${close.repeat(levels)}`;
    for (const levels of [101, 5000, 200_000]) {
      const bodies = [nested("[", "]", levels), nested('{"a":', "}", levels), nested('[{"a":', "}]", levels)];
      // One of the longest, because each operation parses it.
      for (const body of levels > 5000 ? bodies.slice(0, 1) : bodies) {
        for (const name of operationNames.filter((each) => operations[each].sends === "json")) {
          const { path, method, credential } = operations[name];
          const response = await fetch(emulator.url + path, {
            method,
            body,
            headers: { ...credentialOf(emulator, credential), "content-type": "application/json" },
          });
          // Of a request without a credential, only a short body is read.
          assert.match(await response.text(), /nested more than 100 levels|longer than 65536/, `${name} ${levels}`);
          assert.equal(response.status, 400);
        }
        for (const { path, method } of adminOperations().filter(({ takesBody }) => takesBody)) {
          for (const type of ["application/json", "application/yaml"]) {
            if (type === "application/yaml" && levels > 101 && !isLarge) continue;
            const { status, json } = await admin(emulator, path, { method, body, headers: { "content-type": type } });
            assert.deepEqual(
              [status, json.error?.code],
              [400, "InvalidParameter"],
              `${method} ${path} ${type} ${levels}`,
            );
          }
        }
      }
    }
    assert.doesNotMatch(lines.join("\n"), /RangeError| failed: | 500 /);
  });
});
