import type { ServiceTraits } from "../../resources/resource";
import { isServiceError } from "../../service/errors/errors";
import type { ServiceClientOptions } from "../../service/options";
import type { RawClient } from "../../service/rawClient";
import { Asker, NoMoreRequests } from "./asker";
import type { Answer, Probing, Question } from "./question";
import { closingQuestions, nobody, questions, readRows } from "./questions";
import { Words } from "./words";

export interface ProbeParts {
  client: RawClient;
  options: ServiceClientOptions;
  settings: ServiceTraits;
  taskId?: string;
  interrupted: AbortSignal;
  progress(message: string): void;
}

/** What was found out, and about what. */
export type ProbeFinding = Answer & Required<Pick<Answer, "is">> & { check: string };

export interface ProbeResult {
  findings: ProbeFinding[];
  /** Attempts. */
  sent: number;
  /** Questions that need a task. */
  skipped: readonly Question[];
}

/**
 * Asks the service all questions.
 * @throws ServiceError if the service cannot be reached, or accepts no credential, or does not know the task
 */
export async function probe({ client, interrupted, progress, ...given }: ProbeParts): Promise<ProbeResult> {
  const { options, taskId } = given;
  const asker = new Asker(client);
  const { accessToken, refreshToken, apiKey } = options;
  const words = new Words([taskId, nobody, new URL(options.baseUrl).hostname, accessToken, refreshToken, apiKey]);
  const probing: Probing = { ...given, asker, words };
  await firstContact(probing);
  const asked = questions.filter(({ needsTask }) => needsTask === undefined || taskId !== undefined);
  const findings: ProbeFinding[] = [];
  for (const [done, { check, ask }] of [...asked, ...closingQuestions].entries()) {
    progress(`${done + 1}: ${check}`);
    try {
      const answer = await ask(probing);
      findings.push(...(answer === undefined ? [] : [{ is: "good" as const, ...answer, check }]));
    } catch (error) {
      if (interrupted.aborted || !(isServiceError(error) || error instanceof NoMoreRequests)) {
        throw error;
      }
      // The message of the error can name the host.
      const why = isServiceError(error) ? `the service or the way to it failed (${error.kind})` : error.message;
      const found = `It ended at the question "${check}", because ${why}. The later questions were not asked.`;
      findings.push({ check: "probe", is: "problem", found, remedy: "Run the probe again later." });
      break;
    }
  }
  return { findings, sent: asker.sent, skipped: questions.filter((each) => !asked.includes(each)) };
}

/** What the way to the service, the credential or the task does not allow is an error, and no report. */
async function firstContact({ asker, taskId, options }: Probing): Promise<void> {
  const question = readRows(taskId ?? nobody, 1);
  const reply = await asker.ask(question).catch(async (error: unknown) => {
    const mayTryKey = isServiceError(error, "credential") && (options.credentials ?? "contract") === "contract";
    if (!mayTryKey || options.apiKey === undefined) {
      throw error;
    }
    asker.credential = "apiKey";
    const withKey = await asker.ask(question);
    if (withKey.failure?.kind === "credential") {
      throw error;
    }
    return withKey;
  });
  const kind = reply.failure?.kind;
  const isNotTheService =
    kind === "plan" || kind === "contract" || kind === "credential" || (reply.isAccepted && reply.json === undefined);
  if (isNotTheService || (taskId !== undefined && !reply.isAccepted)) {
    throw asker.errorOf(reply);
  }
}
