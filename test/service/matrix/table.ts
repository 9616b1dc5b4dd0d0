import type { BehaviourName } from "webextract-emulator";
import { behaviourNames, behaviours, otherValues } from "webextract-emulator";
import { hostileCombinations, pairsOf, settingsOf } from "./hostile";
import { settingFor } from "./settings";
import type { LifeResult } from "./world";
import { liveUnder } from "./world";

/** The result of the life of a task under one behaviour. */
export interface Verdict {
  behaviour: string;
  meaning: string;
  /** The words of the documentation: handled, needs a setting, or refused with a message. */
  text: string;
}

/** Runs a life under each single behaviour that is not the default. */
export async function singleVerdicts(): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const name of behaviourNames) {
    for (const value of otherValues(name)) verdicts.push(await verdictOf(name, value));
  }
  return verdicts;
}

async function verdictOf(name: BehaviourName, value: string | number): Promise<Verdict> {
  const behaviour = `${name}=${value}`;
  const { meaning } = behaviours[name];
  const unaided = await liveUnder({ [name]: value });
  if (unaided === undefined) return { behaviour, meaning, text: "handled" };
  const setting = settingFor[behaviour];
  const aided: LifeResult = setting === undefined ? unaided : await liveUnder({ [name]: value }, [setting]);
  if (aided === undefined) return { behaviour, meaning, text: `needs ${setting?.text}` };
  return { behaviour, meaning, text: `refused: "${withoutIds(aided.message)}"` };
}

function withoutIds(message: string): string {
  return message.replace(/ requestId [\w-]+\./g, "").replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "T");
}

/** The page of the documentation. */
export function pageOf(verdicts: Verdict[]): string {
  const rows = verdicts.map(({ behaviour, text }) => `| \`${behaviour}\` | ${text.replaceAll("|", "\\|")} |`);
  const names = [...new Set(verdicts.map(({ behaviour }) => behaviour.split("=")[0]))];
  const meanings = names.map(
    (name) => `- \`${name}\`: ${verdicts.find(({ behaviour }) => behaviour.startsWith(`${name}=`))?.meaning}`,
  );
  return `# Behaviours that the contract leaves open

The contract of the service ([openapi.yaml](../../emulator/openapi.yaml)) leaves some behaviours open, for example the status of an error or the
rows that a mark covers. Services of this kind differ in them. The emulator can behave in each of these ways
([emulator/README.md](../../emulator/README.md)), so the tests show what the package does with each.

This page is written by a test run: \`npx tsx test/service/matrix/writeTable.ts\`. A test fails when the page is out of date.

## The client

For each behaviour that differs from the default, the client does the complete work on one task: it copies the task, writes its actions, loop items
(replaced and appended), start URLs and parameters, starts a run, changes a setting while the task runs, waits, reads the rows, exports, marks and
removes them, and reads a task that does not exist. An access token expires on the way.

| result | meaning |
|---|---|
| handled | The work succeeds without a setting. Each row arrives once and unchanged. No request takes effect twice. |
| needs | The work succeeds with this setting. |
| refused | The client ends with this error, because nothing else is safe. The error says what exists now. |

A second test runs the same work under every pair of these behaviours. It must succeed or end with an error that says what exists.

| behaviour | result |
|---|---|
${rows.join("\n")}

${engineSection()}
## What each behaviour means

${meanings.join("\n")}
`;
}

/** The combinations that run on the real engine. */
export function engineSection(): string {
  const rows = hostileCombinations.map(({ name, behaviour }) => {
    const marking = behaviour.markScope === undefined ? [] : ["`webextract:markScope`"];
    const needs = [...settingsOf(behaviour).map(({ onEngine }) => onEngine), ...marking];
    const pairs = pairsOf(behaviour).map((pair) => `\`${pair}\``);
    return `| ${name} | ${pairs.join(", ")} | ${needs.join(", ") || "nothing"} |`;
  });
  return `## The resources on the engine

The test of the resources runs on the real engine. The program has a copy with its actions, parameters, loop items and start URLs, a run that it
waits for, an export that marks the rows, and the functions. The test runs \`up\`, an \`up\` without changes, a refresh, an \`up\` after a change at
the service, an \`up\` after a change in the program, and \`destroy\`. It does so under the default behaviours and under each of the services below.
Every row is in the file, only rows in the file are marked, and no task is copied and no run is started twice.

| service | behaviours | needs |
|---|---|---|
${rows.join("\n")}
`;
}
