import type { BehaviourName } from "webextract-emulator";
import { behaviourNames, behaviours, otherValues } from "webextract-emulator";
import { hostileCombinations, pairsOf, settingsOf } from "./hostile";
import { settingFor } from "./settings";
import type { LifeResult } from "./world";
import { liveUnder } from "./world";

/** What became of a whole task life under one behaviour. */
export interface Verdict {
  behaviour: string;
  meaning: string;
  /** As in the documentation: handled; needs a setting; refused with a message. */
  text: string;
}

/** A life under each single behaviour that is not the default. */
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
  return `# How the client takes what the contract leaves open

Generated from a test run by \`npx tsx test/service/matrix/writeTable.ts\`; a test fails when it is out of date. For each behaviour of the
emulator that differs from the contract's literal reading, a whole task life runs through the client: copy, configure, loop items
(replaced and appended), start URLs, parameters, an access token that ends on the way, start, a change while the run is under way, wait,
read, export, mark, remove, and a look at a task that is gone. *Handled* means that every row came, once and unchanged, and nothing ran
twice. The same life runs under all pairs of these behaviours, where it must end well or with an error that says what exists.

| behaviour | the client alone |
|---|---|
${rows.join("\n")}

${engineSection()}
## Meaning

${meanings.join("\n")}
`;
}

/** Which combinations go through the real engine. */
export function engineSection(): string {
  const rows = hostileCombinations.map(({ name, behaviour }) => {
    const marking = behaviour.markScope === undefined ? [] : ["`webextract:markScope`"];
    const needs = [...settingsOf(behaviour).map(({ onEngine }) => onEngine), ...marking];
    const pairs = pairsOf(behaviour).map((pair) => `\`${pair}\``);
    return `| ${name} | ${pairs.join(", ")} | ${needs.join(", ") || "nothing"} |`;
  });
  return `## On the engine

A whole life of a task as resources (a copy, its actions, parameters, loop items and start URLs, a run that is waited for, an export that
marks, the functions, an up without a change, a refresh, somebody else's change, one of the program's, a destroy) runs on the real engine
under the contract's literal reading, and under each of these services. Every row is in the file, only rows in the file are marked, and nothing is copied
or started twice.

| service | behaviours | needs |
|---|---|---|
${rows.join("\n")}
`;
}
