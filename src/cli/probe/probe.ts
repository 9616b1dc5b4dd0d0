import type { ServiceTraits } from "../../resources/resource";
import { isServiceError } from "../../service/errors/errors";
import type { ServiceClientOptions } from "../../service/options";
import type { RawClient } from "../../service/rawClient";
import { CliError } from "../exitCodes";
import { Asker, NoMoreRequests } from "./asker";
import type { Answer, Probing, Question } from "./question";
import { closingQuestions, nobody, questions, readRows } from "./questions";
import type { Reply } from "./reply";
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
  /** The responses, in the order of the questions. */
  replies: readonly Reply[];
  /** Attempts. */
  sent: number;
  /** Questions that need a task. */
  skipped: readonly Question[];
  words: Words;
}

/**
 * Asks the service all questions.
 * @throws ServiceError if the service cannot be reached, or accepts no credential, or does not know the task
 */
export async function probe({ client, interrupted, progress, ...given }: ProbeParts): Promise<ProbeResult> {
  const { options, taskId } = given;
  const asker = new Asker(client);
  const words = new Words([
    taskId,
    nobody,
    new URL(options.baseUrl).hostname,
    options.accessToken,
    options.refreshToken,
    options.apiKey,
  ]);
  const probing: Probing = { ...given, asker, words };
  const first = await firstContact(probing);
  const asked = questions.filter(({ needsTask }) => needsTask === undefined || taskId !== undefined);
  const findings: ProbeFinding[] = [];
  const ask = async ({ check, ask: find }: Question): Promise<void> => {
    const answer = await find(probing);
    findings.push(...(answer === undefined ? [] : [{ is: "good" as const, ...answer, check }]));
  };
  let current = asked[0]?.check ?? "";
  try {
    for (const [done, question] of asked.entries()) {
      current = question.check;
      progress(`${done + 1} of ${asked.length}: ${current}`);
      await ask(question);
    }
    await checkCredential(asker, first);
  } catch (error) {
    if (interrupted.aborted || !(isServiceError(error) || error instanceof NoMoreRequests)) {
      throw error;
    }
    findings.push(endedEarly(current, error));
  }
  for (const question of closingQuestions) {
    await ask(question);
  }
  const skipped = questions.filter((each) => !asked.includes(each));
  return { findings, replies: asker.replies, sent: asker.sent, skipped, words };
}

/** What the way to the service, the credential or the task does not allow is an error, and no report. */
async function firstContact({ asker, taskId, options }: Probing): Promise<Reply> {
  const question = readRows(taskId ?? nobody, 1);
  let reply: Reply;
  try {
    reply = await asker.ask(question);
  } catch (error) {
    const mayTryKey = isServiceError(error, "credential") && (options.credentials ?? "contract") === "contract";
    if (!mayTryKey || options.apiKey === undefined) {
      throw error;
    }
    reply = await asker.ask({ ...question, credential: "apiKey" });
    if (reply.failure?.kind === "credential") {
      throw error;
    }
    asker.credential = "apiKey";
  }
  const kind = reply.failure?.kind;
  const isNotTheService =
    kind === "plan" || kind === "contract" || kind === "credential" || (reply.isAccepted && reply.json === undefined);
  if (isNotTheService || (taskId !== undefined && !reply.isAccepted)) {
    throw asker.errorOf(reply);
  }
  return reply;
}

/** A service may refuse an expired access token in a way that nothing tells from another refusal. Then the findings would be wrong. */
async function checkCredential(asker: Asker, first: Reply): Promise<void> {
  const again = await asker.askAgain(first);
  if (again.isAccepted !== first.isAccepted) {
    throw new CliError(
      "At the end, the service refused a read that it had accepted at the beginning. The access token has probably expired, so there is no report. Run the probe again with a new one.",
      "credential",
    );
  }
}

function endedEarly(check: string, error: Error): ProbeFinding {
  const kind = isServiceError(error) ? error.kind : "limit";
  const why = reasons[kind] ?? "the service did not respond";
  const found = `It ended at the question "${check}", because ${why}. The later questions were not asked.`;
  return { check: "probe", is: "problem", found, remedy: "Run the probe again later." };
}

const reasons: Readonly<Record<string, string>> = {
  credential: "the service accepts no access token any more",
  rateLimited: "the service refuses further requests because there are too many",
  unreachable: "the service was not reached any more",
  outcomeUnknown: "responses were lost",
  limit: "the maximum number of requests was sent",
};
