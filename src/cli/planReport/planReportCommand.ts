import { Argument } from "commander";
import { hideSecrets } from "../../service/errors/secretShapes";
import type { Cli } from "../cli";
import type { CliCommand } from "../command";
import { inputText } from "../inputFile";
import { calloutsOf } from "./callouts";
import type { Plan } from "./plan";
import { readPlan } from "./plan";
import { planReport } from "./planReport";

export const planReportCommand: CliCommand = {
  name: "plan-report",
  summary: "turn the output of pulumi preview --json into Markdown for a pull request",
  details: "Rows that are removed and runs that may cost money come first. Secrets are never shown.",
  connects: false,
  arguments: [new Argument("[file]", "the output of pulumi preview --json; - for standard input").default("-")],
  examples: [
    { line: "plan-report plan.json", does: "writes the report of a file" },
    { line: "plan-report < plan.json > report.md", does: "reads standard input, and writes the report to a file" },
  ],
  async run({ arguments: [file] }, cli) {
    const plan = await planIn(cli, String(file));
    const markdown = planReport(plan);
    const callouts = calloutsOf(plan.changes).map(({ change: { type, name }, says }) => ({
      type,
      name,
      says: hideSecrets(says),
    }));
    return {
      json: { changes: plan.changes.map(({ type, name, does }) => ({ type, name, does })), callouts, markdown },
      text: () => markdown,
    };
  },
};

/**
 * The plan in a file, or in standard input.
 * @throws CliError
 */
export async function planIn(cli: Cli, file: string): Promise<Plan> {
  return readPlan(await inputText(file, cli));
}
