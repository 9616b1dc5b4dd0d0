import { isServiceError } from "../../service/errors/errors";
import { ownPackage } from "../../service/ownPackage";
import type { Answer, FittingSetting, Probing } from "./questions";
import { nobody, notAsked, questions, readRows, replyOf } from "./questions";

/** What was found out, and about what. */
export type ProbeFinding = Answer & Required<Pick<Answer, "is">> & { check: string };

/** The document of `--json`. */
export interface ProbeReport {
  versions: { package: string; node: string; platform: string };
  /** Whether a task was given. */
  task: boolean;
  /** How many findings are problems. */
  problems: number;
  findings: ProbeFinding[];
  /** All settings that fit and differ from the present ones. */
  settings: FittingSetting[];
  /** What the requests cannot show, or were not asked about, with the behaviours and the setting that depend on it. */
  notAsked: { about: string; why: string; behaviours: readonly string[]; setting?: string }[];
}

/**
 * Asks the service all questions. All requests read, or are refused.
 * @param beforeEach called before each question; can throw
 * @throws ServiceError if the service cannot be reached, or accepts no credential, or does not know the task
 */
export async function probe(given: Probing, beforeEach: () => void): Promise<ProbeReport> {
  const probing = await firstContact(given);
  const hasTask = given.taskId !== undefined;
  const findings: ProbeFinding[] = [];
  for (const { check, ask } of questions.filter(({ needsTask }) => needsTask === undefined || hasTask)) {
    beforeEach();
    try {
      findings.push({ is: "good", ...(await ask(probing)), check });
    } catch (error) {
      if (!isServiceError(error) || error.kind === "aborted") {
        throw error;
      }
      // The message of the error can name the host.
      const found = `No response that the package can use (${error.kind}).`;
      findings.push({ check, is: "problem", found, remedy: "Run the probe again. If this stays, report it." });
    }
  }
  const needingTask = hasTask ? [] : questions.filter(({ needsTask }) => needsTask);
  return {
    versions: { package: ownPackage.version, node: process.versions.node, platform: process.platform },
    task: hasTask,
    problems: findings.filter(({ is }) => is === "problem").length,
    findings,
    settings: findings.flatMap(({ setting }) => setting ?? []),
    notAsked: [
      ...needingTask.map(({ check, behaviours }) => ({ about: check, why: "needs --task", behaviours })),
      ...notAsked.map(({ why = "needs a write", ...each }) => ({ ...each, why })),
    ],
  };
}

/** With the API key, if the service accepts no access token. What the way to the service or the task does not allow is an error, and no report. */
async function firstContact(given: Probing): Promise<Probing> {
  const { options, clientWith } = given;
  try {
    await requireContact(given);
    return given;
  } catch (error) {
    const isContract = (options.credentials ?? "contract") === "contract";
    if (!isServiceError(error, "credential") || options.apiKey === undefined || !isContract) {
      throw error;
    }
    const withKey: Probing = { ...given, needsKey: true, client: clientWith({ credentials: "apiKey" }) };
    await requireContact(withKey).catch(() => {
      throw error;
    });
    return withKey;
  }
}

/** @throws ServiceError unless the service accepts the credential, and knows the task if there is one */
async function requireContact({ client, taskId }: Probing): Promise<void> {
  const { refusal } = await replyOf(readRows(client, taskId ?? nobody));
  if (refusal !== undefined && (taskId !== undefined || isServiceError(refusal, "credential", "plan", "rateLimited"))) {
    throw refusal;
  }
}

export const marks = { good: "✔", warning: "!", problem: "✖", unclear: "?" } as const;

/** The report for an issue. */
export function markdownOf({ versions, task, findings, settings, notAsked: open }: ProbeReport): string {
  return [
    "# Report of webextract probe",
    "",
    `pulumi-webextract ${versions.package}, Node.js ${versions.node}, ${versions.platform}, ${task ? "with" : "without"} a task.`,
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
    ...(settings.length === 0
      ? ["The present settings fit, as far as the responses show it."]
      : ["```sh", ...settings.flatMap(({ command, when }) => [...(when ? [`# ${when}:`] : []), command]), "```"]),
    "",
    "## Not asked",
    "",
    ...open.map(
      ({ about, why, behaviours, setting }) =>
        `- ${about}: ${why}${inCode([...behaviours, setting ?? []].flat(), ", ")}`,
    ),
    "",
  ].join("\n");
}

function inCode(names: readonly string[] = [], between: string): string {
  return names.length === 0 ? "" : ` (${names.map((name) => `\`${name}\``).join(between)})`;
}
