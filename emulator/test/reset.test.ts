import assert from "node:assert/strict";
import { Agent, request } from "node:http";
import type { Behaviour, Emulator } from "webextract-emulator";
import { behaviourNames, otherValues } from "webextract-emulator";
import { isLarge } from "../../test/environment";
import type { OperationName } from "../../test/internals/service";
import { operations } from "../../test/internals/service";
import { credentialOf, startWith } from "./caller";

const task = { taskId: "rows", taskGroupId: "group", syntheticRows: 40, syntheticSubtasks: 25, actions: [] };
const rows = (size: number) => ({ taskId: "rows", offset: 0, size });
const list = { taskId: "rows", page: 1, size: 25 };

/** 23 requests: no multiple of a number that a behaviour counts to, so that a counter that goes on shows. */
const script: readonly (readonly [OperationName, Record<string, unknown>])[] = [
  ["startTask", { taskId: "rows" }],
  ...Array.from({ length: 4 }, () => ["getSubtasks", list] as const),
  ...[2, 3, 30].map((size) => ["getData", rows(size)] as const),
  ["getNotExportedData", { taskId: "rows", size: 5 }],
  ["getNotExportedData", { taskId: "rows", size: 5 }],
  ["markExported", { taskId: "rows" }],
  ["getNotExportedData", { taskId: "rows", size: 5 }],
  ["startTask", { taskId: "rows" }],
  ["getSubtasks", list],
  ["getActions", { taskIds: ["template"], actionTypes: [] }],
  ["updateLoopItems", { taskId: "template", actionId: "pages", loopType: "UrlList", loopItems: ["a"] }],
  ["updateLoopItems", { taskId: "template", actionId: "pages", loopType: "UrlList", loopItems: ["b"] }],
  ["getActions", { taskIds: ["template"], actionTypes: ["LoopAction"] }],
  ["copyTask", { taskId: "rows" }],
  ["getData", rows(2000)],
  ["startTask", { taskId: "nope" }],
  ["removeData", { taskId: "rows" }],
  ["getData", rows(1)],
];

/** What a client sees, without the ids and tokens that differ each time. */
async function play(emulator: Emulator): Promise<string[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const seen: string[] = [];
  for (const [name, fields] of script) {
    const { method, path, sends, credential } = operations[name];
    const query = new URLSearchParams(
      Object.entries(fields).map(([key, value]): [string, string] => [key, String(value)]),
    );
    const response = await new Promise<string>((resolve) => {
      const sent = request(
        `${emulator.url}${path}${sends === "query" ? `?${query}` : ""}`,
        { method, agent, headers: { ...credentialOf(emulator, credential), "content-type": "application/json" } },
        async (incoming) => {
          let text = "";
          for await (const chunk of incoming.setEncoding("utf8")) text += chunk;
          resolve(`${name} ${incoming.statusCode} ${incoming.headers["retry-after"]} ${text}`);
        },
      );
      sent.on("error", () => resolve(`${name} lost`));
      sent.end(sends === "json" ? JSON.stringify(fields) : undefined);
    });
    await emulator.settled();
    seen.push(response.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|"\d{18}"/g, "ID"));
  }
  agent.destroy();
  return seen;
}

describe("a reset of the emulator", () => {
  for (const name of behaviourNames) {
    it(`returns to the start under ${name}, with every counter`, async () => {
      for (const value of otherValues(name).slice(0, isLarge ? undefined : 1)) {
        const emulator = await startWith([task]);
        const again = async () => {
          emulator.setBehaviour({ [name]: value } as Partial<Behaviour>);
          emulator.setClock({ mode: "fixed", at: "2030-01-01T00:00:00Z" });
          return await play(emulator);
        };
        const first = await again();
        await emulator.reset();
        assert.deepEqual(await again(), first, String(value));
        await emulator.close();
      }
    });
  }

  it("is seen by every request of the script, as far as its behaviours count requests", async () => {
    for (const [name, value] of [
      ["refuseEvery", 5],
      ["badGatewayEvery", 6],
      ["accessTokenRequests", 7],
      ["requestsPerSecond", 20],
    ] as const) {
      const emulator = await startWith([task], { behaviour: { [name]: value } });
      emulator.setClock({ mode: "fixed" });
      const seen = await play(emulator);
      assert.ok(
        seen.some((text) => / (429|502|401) /.test(text)) && script.length % value !== 0,
        `${name} shows, and the script leaves its counter in the middle`,
      );
      await emulator.close();
    }
  });
});
