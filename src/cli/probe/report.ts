import type { Consequence, ProbeFinding, ProbeReport } from "./probe";

const marks = { good: "✔", warning: "!", problem: "✖", unclear: "?" } as const;

/** The report for an issue. */
export function markdownOf(report: ProbeReport): string {
  const { versions, sends, task, settings, notAsked: open } = report;
  const with_ = sends === "reads" ? `${task ? "with" : "without"} a task` : copied[sends];
  return [
    "# Report of webextract probe",
    "",
    `pulumi-webextract ${versions.package}, Node.js ${versions.node}, ${versions.platform}, ${with_}.`,
    "The report has no host, ids, credentials or values of rows.",
    "",
    "## How the service behaves",
    "",
    ...(sends === "reads" ? listOf(report) : tableOf(report)),
    "",
    "## Settings that fit",
    "",
    ...(settings.length === 0
      ? ["The present settings fit, as far as the responses show it."]
      : ["```sh", ...commandsOf(settings), "```"]),
    "",
    "## Not asked",
    "",
    ...open.map(
      ({ about, why, behaviours, setting }) =>
        `- ${about}: ${why}${inCode([...behaviours, setting ?? []].flat(), ", ")}`,
    ),
    "",
    ...(sends === "reads"
      ? ["`webextract probe --write --from TASK --group GROUP` asks more, of a copy that it makes of a task.", ""]
      : ending(report)),
  ].join("\n");
}

const copied = { writes: "with a copy of a task", starts: "with a copy of a task and a run of it" } as const;

function listOf({ findings }: ProbeReport): string[] {
  return [
    "✔ the package handles it, ! look at it, ✖ the present settings do not fit, ? the responses do not show it.",
    "",
    ...findings.flatMap(({ is, check, found, behaviours, remedy }) => [
      `- ${marks[is]} ${check}: ${found}${inCode(behaviours, " or ")}`,
      ...(remedy === undefined ? [] : [`  - ${remedy}`]),
    ]),
  ];
}

function tableOf({ findings }: ProbeReport): string[] {
  const rows = findings.map((finding) => [
    finding.check,
    `${finding.found}${valuesIn(finding.behaviours)}`,
    finding.usual,
    consequences[finding.consequence](finding),
  ]);
  return ["| question | seen | contract or usual | the package |", "|---|---|---|---|", ...rows.map(rowOf)];
}

function rowOf(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
}

const consequences: Readonly<Record<Consequence, (finding: ProbeFinding) => string>> = {
  handled: () => "✔ handles it",
  look: ({ remedy = "" }) => `! look at it: ${remedy}`,
  set: ({ setting, argument }) => `! set ${setting === undefined ? argument : `\`${setting.key}\``}`,
  notHandled: ({ limitation, remedy }) => `✖ not handled: ${limitation ?? remedy ?? ""}`,
  notShown: () => "? not shown",
};

function ending({ findings }: ProbeReport): string[] {
  const limits = findings.filter(({ consequence }) => consequence === "notHandled");
  return limits.length === 0
    ? ["The package handles everything that was seen, or a setting fits.", ""]
    : [`Not handled: ${limits.map(({ check }) => check).join(", ")}. Open an issue with this report.`, ""];
}

/** Whether nothing helps against something that was found. A probe that only reads counts all problems. */
export function hasProblems({ sends, problems, findings }: ProbeReport): boolean {
  return sends === "reads" ? problems > 0 : findings.some(({ consequence }) => consequence === "notHandled");
}

/** Lines of a shell that set the settings. */
export function commandsOf(settings: ProbeReport["settings"]): string[] {
  return settings.flatMap(({ command, when }) => [...(when === undefined ? [] : [`# ${when}:`]), command]);
}

/** The values that fit, by the names of the behaviours. */
export function valuesByName(behaviours: readonly string[] = []): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const each of behaviours) {
    const [name = "", ...value] = each.split("=");
    values.set(name, [...(values.get(name) ?? []), ...value]);
  }
  return values;
}

/** The values of one behaviour with "or" between them. */
function valuesIn(behaviours: readonly string[] | undefined): string {
  const groups = [...valuesByName(behaviours)].map(([name, values]) =>
    values.map((value) => `\`${name}=${value}\``).join(" or "),
  );
  return groups.length === 0 ? "" : ` (${groups.join(", ")})`;
}

function inCode(names: readonly string[] = [], between: string): string {
  return names.length === 0 ? "" : ` (${names.map((name) => `\`${name}\``).join(between)})`;
}
