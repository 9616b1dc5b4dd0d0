/** The recipes for other CI systems, read as those systems read them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";

const recipe = (name: string): string => readFileSync(join(__dirname, "../../examples/ci", name), "utf8");

interface AzureStep {
  bash?: string;
  inputs?: { inlineScript?: string };
}

/** A stage of azure-pipelines.yml: its condition, and the commands of its steps. */
export function azureStage(name: string): { when: string; commands: string[] } {
  const { stages } = parse(recipe("azure-pipelines.yml")) as {
    stages: { stage: string; condition: string; jobs: { steps: AzureStep[] }[] }[];
  };
  const found = stages.find(({ stage }) => stage === name);
  if (found === undefined) throw new Error(`azure-pipelines.yml has no stage ${name}`);
  const steps = found.jobs.flatMap((job) => job.steps);
  return { when: found.condition, commands: steps.flatMap(({ bash, inputs }) => bash ?? inputs?.inlineScript ?? []) };
}

/** A stage of the Jenkinsfile without stages in it: its condition, and the commands of its steps. */
export function jenkinsStage(name: string): { when: string; commands: string[] } {
  const [, text = ""] = recipe("Jenkinsfile").split(`stage('${name}') {`);
  const own = text.split("stage(")[0] ?? "";
  const commands = [...own.matchAll(/\bsh (?:'''([\s\S]*?)'''|'([^']+)')/g)].map(
    ([, long, short]) => long ?? short ?? "",
  );
  if (commands.length === 0) throw new Error(`the Jenkinsfile has no stage ${name} with commands`);
  return { when: /\bwhen \{ (.*) \}$/m.exec(own)?.[1] ?? "", commands };
}
