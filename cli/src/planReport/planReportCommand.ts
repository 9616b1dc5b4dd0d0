import { Argument } from "commander";
import { hideSecrets } from "../../../src/service/errors/secretShapes";
import type { CliCommand } from "../command";
import { inputText } from "../inputFile";
import { calloutsOf } from "./callouts";
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
    const plan = readPlan(await inputText(String(file), cli));
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
