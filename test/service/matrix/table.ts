import type { BehaviourName } from "webextract-emulator";
import { behaviourNames, behaviours, otherValues } from "webextract-emulator";
import { hidden } from "../../../cli/test/internals/probe";
import { isServiceError } from "../../../src/service";
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

/** Runs a life under each single value of these behaviours that is not the default. */
export async function singleVerdicts(names: readonly BehaviourName[] = behaviourNames): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const name of names) {
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
  if (aided === undefined)
    return { behaviour, meaning, text: `needs ${setting?.text}; in Pulumi ${setting?.onEngine}` };
  return { behaviour, meaning, text: `refused: "${problemOf(aided)}"` };
}

/** What happened, without ids and advice. */
function problemOf(failure: Error): string {
  const advice = isServiceError(failure) ? ` ${failure.hint}` : "";
  return failure.message
    .replace(advice, "")
    .replace(/ requestId [\w-]+\./g, "")
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "T");
}

/** Whether the page of the documentation has this verdict. */
export function isOn(page: string, verdict: Verdict): boolean {
  const { behaviour, text } = verdict;
  const [rows = "", handled = ""] = page.split("## What is handled without a setting");
  const names = [behaviour, behaviour.split("=")[0]];
  return text === "handled" ? names.some((name) => handled.includes(`\`${name}\``)) : rows.includes(rowOf(verdict));
}

function rowOf({ behaviour, text, meaning }: Verdict): string {
  return `| \`${behaviour}\` | ${cell(text)} | ${cell(partOf(meaning, behaviour))} |`;
}

/** The page of the documentation. */
export function pageOf(verdicts: Verdict[]): string {
  const names = [...new Set(verdicts.map(({ behaviour }) => behaviour.split("=")[0] ?? ""))];
  const handled = names.flatMap((name) => {
    const own = verdicts.filter(({ behaviour }) => behaviour.startsWith(`${name}=`));
    const those = own.filter(({ text }) => text === "handled").map(({ behaviour }) => `\`${behaviour}\``);
    return those.length === own.length ? [`\`${name}\``] : those;
  });
  const rows = verdicts.filter(({ text }) => text !== "handled").map(rowOf);
  return `# Behaviours that the contract leaves open

Services differ where the contract ([openapi.yaml](../../emulator/openapi.yaml)) is silent.
[Behaviours of the emulator](../../emulator/docs/behaviours.md) describes each.
\`npx webextract probe\` finds out how your service behaves, and names the settings that fit.

Under each behaviour, under every pair of them, and on the real engine under combinations, every row is in the file, only rows in the file are marked, and no task is copied and no run is started twice.

## What needs a setting, and what is refused

| behaviour | result | meaning |
|---|---|---|
${rows.join("\n")}

- **needs:** the work succeeds with this setting. If the service marks only the rows that it has returned (\`markScope=returned\`), exports with
  \`markExported\` need \`webextract:markScope\`.
- **refused:** the client ends with this error, because nothing else is safe. The error says what exists now.

## What is handled without a setting

Each row arrives once and unchanged, and no request takes effect twice. Without a value: all values.

${handled.join(", ")}.

## What no probe tells apart

\`probe --write --start\` finds the behaviours of this page, or says that the responses do not show them, except for these:

${Object.entries(hidden)
  .map(
    ([about, { behaviours: names, why }]) => `- ${about}: ${why} (${names.map((name) => `\`${name}\``).join(", ")}).`,
  )
  .join("\n")}
`;
}

/** What a meaning says of the value; all of it if it does not list values. */
function partOf(meaning: string, behaviour: string): string {
  const parts = meaning.split(/(?=`\w+`: )/);
  return parts.find((part) => part.startsWith(`\`${behaviour.split("=")[1]}\`: `))?.trim() ?? meaning;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
