import { ownPackage } from "../../service/ownPackage";
import { mostRequests } from "./asker";
import type { ProbeFinding, ProbeResult } from "./probe";
import type { FittingSetting } from "./question";

/** The document of `--json`. */
export interface ProbeReport {
  versions: { package: string; node: string; platform: string };
  requests: { sent: number; most: number };
  /** Whether a task was given. */
  task: boolean;
  /** How many findings are problems. */
  problems: number;
  findings: ProbeFinding[];
  /** All settings that fit and differ from the present ones. */
  settings: FittingSetting[];
  notAsked: NotAsked[];
}

/** What the requests cannot show, or were not asked about. */
interface NotAsked {
  about: string;
  why: string;
  /** Names of docs/reference/behaviours.md. */
  behaviours: readonly string[];
  /** The setting that depends on it. */
  setting?: string;
}

/** What reads cannot show, although a setting depends on it. */
export const notAsked: readonly NotAsked[] = [
  needsWrite("which rows a mark includes", "markScope", ["markScope"]),
  needsWrite("the credential of the upload of start URLs", "credentials", ["credentialAcceptance"]),
  needsWrite("codes with which the service says that nothing was done", "notExecutedCodes", []),
];

function needsWrite(about: string, setting: string, behaviours: string[]): NotAsked {
  return { about, why: "needs a write", behaviours, setting: `webextract:${setting}` };
}

export function reportOf({ findings, sent, skipped }: ProbeResult, hasTask: boolean): ProbeReport {
  return {
    versions: { package: ownPackage.version, node: process.versions.node, platform: process.platform },
    requests: { sent, most: mostRequests },
    task: hasTask,
    problems: findings.filter(({ is }) => is === "problem").length,
    findings,
    settings: findings.flatMap(({ setting }) => setting ?? []),
    notAsked: [
      ...skipped.map(({ check, behaviours }) => ({ about: check, why: "needs --task", behaviours })),
      ...notAsked,
    ],
  };
}

const marks = { good: "✔", warning: "!", problem: "✖", unclear: "?" } as const;

/** The report for an issue. */
export function markdownOf(report: ProbeReport): string {
  const { versions, requests, task, findings, settings } = report;
  return [
    "# Report of webextract probe",
    "",
    `pulumi-webextract ${versions.package}, Node.js ${versions.node}, ${versions.platform}. ${requests.sent} requests, ${task ? "with" : "without"} a task.`,
    "The report has no host, ids, credentials or values of rows.",
    "",
    "## How the service behaves",
    "",
    "✔ the package handles it, ! look at it, ✖ the present settings do not fit, ? the responses do not show it.",
    "",
    ...findings.flatMap(({ is, check, found, behaviours, remedy }) => [
      `- ${marks[is]} ${check}: ${found}${inCode(behaviours, " or ")}`,
      ...(remedy === undefined ? [] : [`  - ${remedy}`]),
    ]),
    "",
    "## Settings that fit",
    "",
    ...settingLines(settings),
    "",
    "## Not asked",
    "",
    ...report.notAsked.map(
      ({ about, why, behaviours, setting }) =>
        `- ${about}: ${why}${inCode([...behaviours, setting ?? []].flat(), ", ")}`,
    ),
    "",
  ].join("\n");
}

function inCode(names: readonly string[] = [], between: string): string {
  return names.length === 0 ? "" : ` (${names.map((name) => `\`${name}\``).join(between)})`;
}

function settingLines(settings: readonly FittingSetting[]): string[] {
  if (settings.length === 0) {
    return ["The present settings fit, as far as the responses show it."];
  }
  const lines = settings.flatMap(({ command, when }) => [...(when === undefined ? [] : [`# ${when}:`]), command]);
  return ["```sh", ...lines, "```"];
}
