import { rejects } from "node:assert/strict";
import { ServiceClient } from "../../src/service";
import { exampleCalls, operationNames } from "../../test/service/calls";
import type { HostileAnswer } from "../../test/service/http/hostileServer";
import { hostileAnswers, startHostileServer } from "../../test/service/http/hostileServer";
import type { Bench, Figure } from "../figure";
import { atMost } from "../figure";

/** Seconds. */
const deadline = 2;
const goal = atMost(deadline * 1.1 + 0.2);

/** The time until the calls of all operations end at their deadline, if the service never ends its response. */
export const deadlines: Bench = {
  name: "deadlines",
  summary: `end of the last of 16 calls with a deadline of ${deadline} s, at services that never end their response`,
  run: async () => {
    const figures: Figure[] = [];
    for (const answer of Object.keys(hostileAnswers) as HostileAnswer[]) {
      figures.push({ name: `a service that ${answer}`, value: await lastEnd(answer), unit: "s", goal });
    }
    return figures;
  },
};

async function lastEnd(answer: HostileAnswer): Promise<number> {
  const server = await startHostileServer(answer);
  const client = new ServiceClient({
    baseUrl: server.baseUrl,
    accessToken: "access",
    apiKey: "key",
    concurrency: operationNames.length,
    deadlineSeconds: deadline,
  });
  try {
    const ends = await Promise.all(operationNames.map((name) => secondsOf(exampleCalls[name].send(client))));
    return Math.max(...ends);
  } finally {
    client.close();
    await server.close();
  }
}

async function secondsOf(call: Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await rejects(call, "the call succeeded, although the response has no end");
  return (performance.now() - begun) / 1000;
}
