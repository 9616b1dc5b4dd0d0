import { ownPackage } from "../../service/ownPackage";
import { mostRequests } from "./asker";
import type { ProbeFinding, ProbeResult } from "./probe";
import type { FittingSetting } from "./question";
import type { Reply } from "./reply";
import type { Words } from "./words";
import { shapeOf } from "./words";

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
  /** What came, without values. */
  responses: ResponseShape[];
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
  {
    about: "which rows a mark includes",
    why: "needs a write",
    behaviours: ["markScope"],
    setting: "webextract:markScope",
  },
  {
    about: "the credential of the upload of start URLs",
    why: "needs a write",
    behaviours: ["credentialAcceptance"],
    setting: "webextract:credentials",
  },
  {
    about: "codes with which the service says that nothing was done",
    why: "needs a write",
    behaviours: [],
    setting: "webextract:notExecutedCodes",
  },
];

interface ResponseShape {
  operation: string;
  /** Names of the parameters or fields of the request. */
  with: string[];
  credential: string;
  status: number;
  /** Of an error, if the service gave one. */
  code?: string;
  contentType: string;
  /** Types, with the names of known fields. */
  body: string;
  times: number;
}

export function reportOf({ findings, replies, sent, skipped, words }: ProbeResult, hasTask: boolean): ProbeReport {
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
    responses: responsesOf(replies, words),
  };
}

function responsesOf(replies: readonly Reply[], words: Words): ResponseShape[] {
  const shapes = new Map<string, ResponseShape>();
  for (const reply of replies) {
    const { request, response, status } = reply;
    const shape = {
      operation: request.operation,
      with: Object.keys(request.query ?? request.json ?? {}),
      credential: request.credential,
      status,
      code: words.shown(reply.failure?.code),
      contentType: mediaTypeOf(response.contentType),
      body: bodyOf(reply),
    };
    const key = JSON.stringify(shape);
    const known = shapes.get(key);
    shapes.set(key, { ...shape, times: (known?.times ?? 0) + 1 });
  }
  return [...shapes.values()];
}

function mediaTypeOf(contentType: string): string {
  const [type = ""] = contentType.split(";");
  return /^[\w.+-]{1,40}\/[\w.+-]{1,60}$/.test(type.trim()) ? type.trim().toLowerCase() : "none";
}

function bodyOf({ form, json }: Reply): string {
  return json === undefined ? form : shapeOf(json);
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
    ...findings.flatMap(findingLines),
    "",
    "## Settings that fit",
    "",
    ...settingLines(settings),
    "",
    "## Not asked",
    "",
    ...report.notAsked.map(({ about, why, behaviours, setting }) => {
      const names = [...behaviours, ...(setting === undefined ? [] : [setting])];
      return `- ${about}: ${why}${inCode(names, ", ")}`;
    }),
    "",
    "## Responses",
    "",
    ...report.responses.map(responseLine),
    "",
  ].join("\n");
}

function findingLines({ is, check, found, behaviours = [], remedy }: ProbeFinding): string[] {
  const line = `- ${marks[is]} ${check}: ${found}${inCode(behaviours)}`;
  return remedy === undefined ? [line] : [line, `  - ${remedy}`];
}

function inCode(names: readonly string[], between = " or "): string {
  return names.length === 0 ? "" : ` (${names.map((name) => `\`${name}\``).join(between)})`;
}

function settingLines(settings: readonly FittingSetting[]): string[] {
  return settings.length === 0
    ? ["The present settings fit, as far as the responses show it."]
    : [
        "```sh",
        ...settings.flatMap(({ command, when }) => [...(when === undefined ? [] : [`# ${when}:`]), command]),
        "```",
      ];
}

function responseLine({
  operation,
  with: fields,
  credential,
  status,
  code,
  contentType,
  body,
  times,
}: ResponseShape): string {
  const request = `${operation}(${fields.join(", ")})`;
  const how = credential === "own" ? "" : `, credential: ${credential}`;
  const came = [`${status}${code === undefined ? "" : ` ${code}`}`, contentType, `\`${body}\``].join(", ");
  return `- ${request}${how}: ${came}${times > 1 ? `, ${times} times` : ""}`;
}
