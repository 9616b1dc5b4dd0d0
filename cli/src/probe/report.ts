import { isPlainMap } from "../../../src/values/plain";
import type { Consequence, ProbeFinding, ProbeReport } from "./probe";
import { shapeOf, vocabulary } from "./question";
import type { RawResponse } from "./requests";

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
function commandsOf(settings: ProbeReport["settings"]): string[] {
  return settings.flatMap(({ command, when }) => [...(when === undefined ? [] : [`# ${when}:`]), command]);
}

/** The values that fit, by the names of the behaviours. */
function valuesByName(behaviours: readonly string[] = []): Map<string, string[]> {
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

export const fileNames = ["report.md", "config.sh", "behaviours.yaml", "responses.json"] as const;

/** The files of a probe that writes, by their names. None holds a host, an id, a credential or a value of a row. */
export function filesOf(
  report: ProbeReport,
  responses: readonly RawResponse[],
): Record<(typeof fileNames)[number], string> {
  return {
    "report.md": markdownOf(report),
    "config.sh": configOf(report),
    "behaviours.yaml": behavioursOf(report),
    "responses.json": `${JSON.stringify(distinct(responses), undefined, 2)}\n`,
  };
}

function configOf({ findings, settings }: ProbeReport): string {
  const args = findings.flatMap(({ argument }) => argument ?? []);
  return [
    "#!/bin/sh",
    "# The settings that fit the service, for the selected stack. Read them before you run this file.",
    "set -e",
    ...commandsOf(settings),
    ...args.map((argument) => `# In the program: ${argument}`),
    ...(settings.length + args.length === 0 ? ["# The present settings fit."] : []),
    "",
  ].join("\n");
}

/** One value of each behaviour that was seen. A later question knows more than an earlier one. */
export function behaviourValues({ findings }: ProbeReport): Map<string, string[]> {
  return new Map(findings.flatMap(({ behaviours }) => [...valuesByName(behaviours)]));
}

function behavioursOf(report: ProbeReport): string {
  const lines = [...behaviourValues(report)].flatMap(([name, [value, ...others]]) => {
    const comment = others.length === 0 ? "" : ` # or ${others.join(", ")}: the responses do not tell them apart`;
    return value === undefined ? [] : [`  ${name}: ${/^\d+$/.test(value) ? value : JSON.stringify(value)}${comment}`];
  });
  return [
    "# How the service behaves. An emulator behaves like it: webextract-emulator --behaviours behaviours.yaml",
    `behaviour:${lines.length === 0 ? " {}" : ""}`,
    ...lines,
    "",
  ].join("\n");
}

interface Shown {
  operation: string;
  status: number;
  rateHeaders: readonly string[];
  body: unknown;
}

/** Each response once, with values replaced. */
function distinct(responses: readonly RawResponse[]): Shown[] {
  const shown = responses.map(({ operation, status, rateHeaders, body, bytes }) => ({
    ...{ operation, status, rateHeaders },
    body: body === undefined ? `${bytes === 0 ? "nothing" : "no JSON"}` : withoutValues(body),
  }));
  return [...new Map(shown.map((each) => [JSON.stringify(each), each])).values()];
}

/** Names that are of the service, and never of a user. All others are replaced. */
const namesOfService = new Set(
  (
    "data requestId error error_Description error_description code message taskId taskIds actions actionId actionType name value properties loopItems loopType " +
    "isAppend updatedParameters lotNo status subTaskId total restTotal offset current access_token expires_in token_type refresh_token"
  ).split(" "),
);
/** Numbers that say nothing about a user. */
const counts = new Set(["total", "restTotal", "offset", "current", "expires_in"]);
/** Words of the vocabulary of the service. */
const words = new Set(["actionType", "loopType", "status", "code", "error", "token_type"]);

function withoutValues(value: unknown, name = "", isRow = false): unknown {
  if (Array.isArray(value)) {
    const items = value.slice(0, 2).map((each) => withoutValues(each, name, isRow));
    return value.length > 2 ? [...items, "…"] : items;
  }
  if (isPlainMap(value)) {
    const isPage = Array.isArray(value.data) && "total" in value;
    const isProperty = "value" in value && "name" in value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each], index) => {
        const isKnown = namesOfService.has(key) && !isRow && name !== "properties";
        const hides = isRow || (isPage && key === "data") || (isProperty && key === "name");
        return [
          isKnown || (isProperty && !isRow) ? key : `field${index + 1}`,
          withoutValues(each, isKnown ? key : "", hides),
        ];
      }),
    );
  }
  if (isRow) {
    return `<${value === null ? "null" : typeof value}>`;
  }
  if (value === null || typeof value === "boolean") {
    return value;
  }
  if (counts.has(name) && typeof value === "number") {
    return value;
  }
  const [word] = words.has(name) ? vocabulary([value]) : [];
  return word ?? `<${typeof value === "string" ? shapeOf(value) : typeof value}>`;
}
