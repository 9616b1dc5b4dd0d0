import { ServiceClient } from "../../src/service";
import { exampleCalls, operationNames } from "../../test/service/calls";
import type { HostileAnswer } from "../../test/service/http/hostileServer";
import { hostileAnswers, startHostileServer } from "../../test/service/http/hostileServer";
import type { Bench, Figure } from "../figure";

/** Seconds. */
const deadline = 2;
const goal = { kind: "at most", value: deadline * 1.1 + 0.2 } as const;

/** When the calls of all operations end that have a deadline, where the service never ends its answer. */
export const deadlines: Bench = {
  name: "deadlines",
  summary: `the last of 16 calls with a deadline of ${deadline} s to end, at services that never end their answer`,
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
  client.prepare();
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
  const isAnswered = await call.then(
    () => true,
    () => false,
  );
  if (isAnswered) throw new Error("the call was answered, though the answer has no end");
  return (performance.now() - begun) / 1000;
}
