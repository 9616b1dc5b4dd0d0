import { isServiceError } from "../../../src/service/errors/errors";
import { isRefusedAsPath } from "../../../src/service/wrongPath";
import { ownPackage } from "../../../src/system/ownPackage";
import type { Answer, FittingSetting, OnRun, Probing, Question, Sends } from "./question";
import { malformed, readRows } from "./question";
import { hidden, notAsked, questions } from "./questions";
import type { Reply } from "./requests";
import { anyReplyOf, credentialReplyOf, LimitReached } from "./requests";

/**
 * What the package does about it: it handles it, a setting or an argument fits, nothing helps, or the responses do not
 * show it.
 */
export type Consequence = "handled" | "look" | "set" | "notHandled" | "notShown";

/** What was found out, and about what. */
export type ProbeFinding = Answer &
  Required<Pick<Answer, "is">> & { check: string; usual: string; consequence: Consequence };

/** The document of `--json`. */
export interface ProbeReport {
  versions: { package: string; node: string; platform: string };
  /** What was sent: reads only, writes to a copy too, or a run of it too. */
  sends: Sends;
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

const kinds: readonly Sends[] = ["reads", "writes", "starts"];

/**
 * Asks the service all questions of a kind of probe. Without a trial, all requests read, or are refused.
 * @param checkInterrupted called before each question and at the end; can throw
 * @throws ServiceError if the service cannot be reached, or accepts no credential, or does not know the task
 */
export async function probe(given: Probing, checkInterrupted: () => void): Promise<ProbeReport> {
  const sends: Sends = given.trial === undefined ? "reads" : given.trial.startsRun ? "starts" : "writes";
  const asked = questions.filter(
    (question) =>
      kinds.indexOf(question.sends) <= kinds.indexOf(sends) &&
      (sends === "reads" || question.onlyWithoutWrites === undefined),
  );
  let probing = await firstContact(given);
  const findings: ProbeFinding[] = [];
  const open: Question[] = [];
  for (const [at, question] of asked.entries()) {
    if (!isReady(question, probing)) {
      open.push(question);
      continue;
    }
    checkInterrupted();
    probing.requests.kept = asked.slice(at + 1).reduce((sum, { most = 1 }) => sum + most, 0);
    findings.push(await findingOf(question, probing));
    // From here on, the task of the questions is the copy.
    probing = { ...probing, taskId: probing.trial?.taskId ?? probing.taskId };
  }
  checkInterrupted();
  return {
    versions: { package: ownPackage.version, node: process.versions.node, platform: process.platform },
    sends,
    task: given.taskId !== undefined,
    problems: findings.filter(({ is }) => is === "problem").length,
    findings,
    settings: findings.flatMap(({ setting }) => setting ?? []),
    notAsked: [...open.map(whyOpen), ...unasked(sends)],
  };
}

function isReady({ needs }: Question, { taskId, trial }: Probing): boolean {
  const has = { task: taskId, trial, copy: trial?.taskId, run: trial?.run };
  return needs === undefined || has[needs] !== undefined;
}

function whyOpen({ check, behaviours = [], needs }: Question): ProbeReport["notAsked"][number] {
  return { about: check, why: needs === "task" ? "needs --task" : `needs the ${needs}`, behaviours };
}

function unasked(sends: Sends): ProbeReport["notAsked"] {
  if (sends === "reads") {
    return notAsked.map(({ why = "needs a write", ...each }) => ({ ...each, why }));
  }
  const starts = sends === "starts" ? [] : questions.filter((question) => question.sends === "starts");
  return [
    ...starts.map(({ check, behaviours = [] }) => ({ about: check, why: "needs --start", behaviours })),
    ...Object.entries(hidden).map(([about, each]) => ({ about, ...each })),
  ];
}

/** @param probing has what the question needs */
async function findingOf({ check, usual, ask, needs }: Question, probing: Probing): Promise<ProbeFinding> {
  const answer = await ask(probing as OnRun).catch((error: unknown): Answer => {
    if (error instanceof LimitReached) {
      return { is: "unclear", found: `Not asked to the end: ${error.message}.` };
    }
    if (!isServiceError(error) || error.kind === "aborted" || needs === "trial") {
      throw error;
    }
    // The message of the error can name the host.
    const found = `No response that the package can use (${error.kind}).`;
    return { is: "problem", found, remedy: "Run the probe again. If this stays, report it." };
  });
  return { is: "good", ...answer, check, usual, consequence: consequenceOf(answer) };
}

function consequenceOf({ is, setting, argument, limitation }: Answer): Consequence {
  if (limitation !== undefined) {
    return "notHandled";
  }
  if (setting !== undefined || argument !== undefined) {
    return "set";
  }
  const without = { good: "handled", warning: "look", problem: "notHandled", unclear: "notShown" } as const;
  return without[is ?? "good"];
}

/**
 * The client uses the API key from here on if the service accepts no access token. There is no report if the service
 * cannot be reached, accepts no credential or does not know the task.
 */
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
    const clientWithKey: typeof clientWith = (changes) => clientWith({ credentials: "apiKey", ...changes });
    const withKey: Probing = { ...given, needsKey: true, client: clientWithKey({}), clientWith: clientWithKey };
    await requireContact(withKey).catch(() => {
      throw error;
    });
    return withKey;
  }
}

/** @throws ServiceError unless the service accepts the credential, and knows the task if there is one */
async function requireContact({ client, requests, taskId, trial }: Probing): Promise<void> {
  const { responses } = requests.now;
  const reply = readRows(client, taskId ?? malformed);
  // A probe that writes finds out what an error means, or a page in place of one.
  const { refusal } = await (trial === undefined ? credentialReplyOf(reply) : anyReplyOf(reply)).catch(
    (error: unknown): Reply<unknown> => {
      // After an error of its own, the service was asked again, and that response was lost.
      if (trial !== undefined && isServiceError(error, "outcomeUnknown") && requests.now.responses > responses) {
        return { response: undefined };
      }
      throw error;
    },
  );
  if (refusal !== undefined && (taskId !== undefined || isServiceError(refusal, "credential", "plan", "rateLimited"))) {
    throw refusal;
  }
  if (refusal === undefined || isServiceError(refusal, "notFound", "notYours")) {
    return;
  }
  // A task that does not exist can be refused as a path is. The task to copy is not, and no path has a code of tasks.
  const { refusal: own } = trial === undefined ? { refusal } : await anyReplyOf(readRows(client, trial.from));
  const isTold = trial !== undefined || (isServiceError(own, "refused") && own.code !== undefined);
  if (own !== undefined && isTold && (await isRefusedAsPath(own, client))) {
    throw own;
  }
}
