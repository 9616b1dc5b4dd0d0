import * as copy from "./ask/copyQuestions";
import * as loop from "./ask/loopQuestions";
import * as operation from "./ask/operationQuestions";
import * as read from "./ask/readQuestions";
import * as rows from "./ask/rowQuestions";
import * as run from "./ask/runQuestions";
import type { Ask, OnCopy, OnRun, OnTask, Probing, Question } from "./question";

type Said<On extends Probing> = Pick<Question, "check" | "usual" | "most" | "behaviours"> & { readonly ask: Ask<On> };

const ofCopy = (questions: readonly Said<OnCopy>[]): Question[] =>
  questions.map((each) => ({ sends: "writes", needs: "copy", ...each }));
const ofRun = (questions: readonly Said<OnRun>[]): Question[] =>
  questions.map((each) => ({ sends: "starts", needs: "run", ...each }));
/** Questions about the task of a probe that only reads. A probe that writes finds out more. */
const ofTask = (questions: readonly Said<OnTask>[]): Question[] =>
  questions.map((each) => ({ sends: "reads", needs: "task", onlyWithoutWrites: true, ...each }));

/** All questions, in the order in which they are asked. */
export const questions: readonly Question[] = [
  {
    check: "proxies on the way",
    most: 0,
    sends: "reads",
    usual: "none that can repeat a request",
    ask: read.onTheWay,
  },
  {
    check: "task that does not exist",
    most: 2,
    sends: "reads",
    behaviours: ["errorBody", "taskGone"],
    usual: "not in the contract; mostly 400 InvalidTaskId",
    onlyWithoutWrites: true,
    ask: read.missingTask,
  },
  {
    check: "credential of reads",
    most: 2,
    sends: "reads",
    behaviours: ["credentialAcceptance"],
    usual: "the access token",
    onlyWithoutWrites: true,
    ask: read.credentials,
  },
  {
    check: "path of the token refresh",
    most: 4,
    sends: "reads",
    behaviours: ["refreshPath"],
    usual: "/token",
    ask: read.refreshPath,
  },
  {
    check: "access token that the service does not know",
    sends: "writes",
    behaviours: ["expiredToken"],
    usual: "not in the contract; mostly 401 Invalid.Token",
    ask: operation.wrongToken,
  },
  {
    check: "path that does not exist",
    sends: "writes",
    behaviours: ["errorStatus"],
    usual: "not in the contract; mostly 404",
    ask: operation.unknownPath,
  },
  {
    check: "required field that is missing",
    most: 2,
    sends: "writes",
    usual: "not in the contract; mostly 400 InvalidParameter.Required",
    ask: operation.missingField,
  },
  {
    check: "copy without a group",
    sends: "writes",
    behaviours: ["copyGroup"],
    usual: "the group is required",
    ask: copy.copyWithoutGroup,
  },
  {
    check: "the copy",
    sends: "writes",
    usual: "a response with the taskId of the new task",
    needs: "trial",
    ask: copy.copyTask,
  },
  ...ofCopy([
    {
      check: "actions of the copy",
      behaviours: ["actionShape", "propertyValues"],
      usual: "not in the contract",
      ask: copy.actionsOfCopy,
    },
  ]),
  {
    check: "empty list of action types",
    most: 2,
    sends: "reads",
    behaviours: ["getActionsEmptyTypes"],
    usual: "not in the contract",
    needs: "task",
    ask: read.actionTypes,
  },
  ...ofTask([
    {
      check: "words of a success",
      behaviours: ["successBody"],
      usual: "no `error`",
      ask: read.wordsOfSuccess,
    },
    {
      check: "order of rows",
      most: 2,
      behaviours: ["rowOrder"],
      usual: "not in the contract",
      ask: read.rowOrder,
    },
    {
      check: "size of a page of rows",
      most: 6,
      behaviours: ["dataPageMax"],
      usual: "not in the contract; mostly 1000",
      ask: read.pageSize,
    },
    {
      check: "subtasks of a run",
      most: 2,
      behaviours: ["splitting", "statusWords"],
      usual: "Waiting, Extracting, Stopped, Finished, Failed",
      ask: read.subtasks,
    },
  ]),
  ...ofCopy([
    {
      check: "several tasks, one of them missing",
      behaviours: ["getActionsMissing"],
      usual: "not in the contract",
      ask: copy.severalTasks,
    },
    {
      check: "credential of each operation",
      most: 5,
      behaviours: ["credentialAcceptance"],
      usual: "the API key for the upload, the access token for all others",
      ask: copy.credentialsOfCopy,
    },
    {
      check: "two credentials in one request",
      most: 2,
      behaviours: ["bothCredentials"],
      usual: "not in the contract",
      ask: operation.bothCredentials,
    },
    {
      check: "action that does not exist",
      usual: "not in the contract; mostly 400 TaskSettingsNotFound",
      ask: copy.unknownAction,
    },
    {
      check: "task that does not exist, for each operation",
      most: 18,
      behaviours: ["errorBody", "taskGone"],
      usual: "not in the contract; mostly 400 InvalidTaskId",
      ask: operation.refusals,
    },
    {
      check: "properties",
      most: 2,
      usual: "the value that was written",
      ask: loop.properties,
    },
    {
      check: "loops of updateTaskParameters",
      most: 4,
      behaviours: ["loopsInActions", "updatedParameters"],
      usual: "a loop inside its action takes effect",
      ask: loop.loopsInParameters,
    },
    {
      check: "loops of updateLoopItems",
      most: 7,
      behaviours: ["isAppendOmitted", "loopTypeRead"],
      usual: "isAppend appends or replaces; without it, the contract is silent",
      ask: loop.loopItems,
    },
    {
      check: "sizes of pages",
      most: 12,
      behaviours: ["dataPageMax", "subtaskPageMax"],
      usual: "not in the contract; mostly 1000 rows, 20 subtasks",
      ask: copy.pageLimits,
    },
    {
      check: "reads, marks and removes without rows",
      most: 4,
      behaviours: ["successBody"],
      usual: "a success without data",
      ask: copy.withoutRows,
    },
  ]),
  {
    check: "response to a start",
    sends: "starts",
    behaviours: ["startResponse"],
    usual: "a lotNo and a status",
    needs: "copy",
    ask: run.start,
  },
  ...ofRun([
    {
      check: "change while the task runs",
      behaviours: ["changeWhileRunning"],
      usual: "not in the contract; mostly 400 TaskExecuting",
      ask: run.changeWhileRunning,
    },
    {
      check: "course of the run",
      most: 26,
      behaviours: ["statusWords", "statusCase", "readsUntilFinished", "subtaskListLag", "splitting"],
      usual: "Waiting, Extracting, Stopped, Finished, Failed",
      ask: run.course,
    },
    {
      check: "rows after the end",
      most: 8,
      behaviours: ["rowsArriveLate"],
      usual: "not in the contract",
      ask: rows.lateRows,
    },
    {
      check: "offsets and totals",
      most: 3,
      behaviours: ["offsetResponse", "endOfData", "rowsWhileReading"],
      usual: "the next offset, restTotal 0 at the end",
      ask: rows.offsets,
    },
    {
      check: "rows of the batch",
      behaviours: ["batchRows"],
      usual: "all rows of the run",
      ask: rows.batch,
    },
    {
      check: "rows that are not exported, and a mark",
      most: 4,
      behaviours: ["rowOrder", "notExported", "notExportedCounts", "otherMarks", "markScope"],
      usual: "a mark includes all rows of the task",
      ask: rows.marks,
    },
    {
      check: "empty pages before the last row",
      most: 7,
      behaviours: ["emptyPageEvery"],
      usual: "none",
      ask: rows.emptyPages,
    },
    {
      check: "rows after a remove",
      most: 2,
      usual: "none",
      ask: rows.remove,
    },
  ]),
  ...ofCopy([{ check: "shapes of ids", most: 0, usual: "strings", ask: copy.idShapes }]),
  {
    check: "rate and clock",
    most: 0,
    sends: "writes",
    behaviours: ["retryAfter"],
    usual: "not in the contract; mostly 429 without Retry-After",
    ask: copy.rates,
  },
];

/** What the questions of a probe that only reads do not find out, although services differ in it. */
export const notAsked: readonly { about: string; behaviours: readonly string[]; setting?: string; why?: string }[] = [
  { about: "which rows a mark includes", setting: "webextract:markScope", behaviours: ["markScope"] },
  {
    about: "the credential of the upload of start URLs",
    setting: "webextract:credentials",
    behaviours: ["credentialAcceptance"],
  },
  {
    about: "codes with which the service says that nothing was done",
    setting: "webextract:notExecutedCodes",
    behaviours: [],
  },
  {
    about: "whether loops inside actions are taken, and confirmed",
    behaviours: ["loopsInActions", "updatedParameters"],
  },
  { about: "the response to a start", behaviours: ["startResponse"] },
  { about: "which operations need a paid plan", behaviours: ["plansNeeded"] },
  {
    about: "rows that others mark",
    behaviours: ["otherMarks"],
    why: "a read of rows that are not exported can hand them out",
  },
  { about: "equal rows of a batch", behaviours: ["batchRows"], why: "needs the lotNo of a run" },
  {
    about: "empty pages before the last row, and rows that arrive during a read",
    behaviours: ["emptyPageEvery", "rowsWhileReading"],
    why: "needs a read of all rows",
  },
  {
    about: "two credentials in one request",
    behaviours: ["bothCredentials"],
    why: "the package never sends two",
  },
];

/**
 * What no probe tells apart from outside, in one place: docs/reference/behaviours.md lists it too. A file for the
 * emulator has the default for these behaviours, if the responses do not happen to show them.
 */
export const hidden: Readonly<Record<string, { behaviours: readonly string[]; why: string }>> = {
  "lifetimes and refreshes of tokens": {
    behaviours: ["tokenLifetime", "accessTokenRequests", "expiresIn", "refreshRotation"],
    why: "a refresh on purpose can use up the refresh token",
  },
  "a login with a password": {
    behaviours: ["passwordLogin"],
    why: "the package never sends a password",
  },
  "the place of an upload's `taskId`": {
    behaviours: ["urlsFileTaskId"],
    why: "the package tries both",
  },
  "spellings of `loopType`": {
    behaviours: ["loopTypeWritten"],
    why: "the package sends the documented one",
  },
  "operations that need a paid plan": {
    behaviours: ["plansNeeded"],
    why: "an account has one plan",
  },
  "limits of requests, and what proxies do": {
    behaviours: [
      "requestsPerSecond",
      "refuseEvery",
      "retryAfter",
      "badGatewayEvery",
      "badGatewayStatus",
      "idleSockets",
    ],
    why: "few requests, one after the other, reach no limit, and chance looks the same",
  },
  "a start of a running task": {
    behaviours: ["startWhileRunning"],
    why: "a second start can cost money",
  },
  "responses of several megabytes, and pages of more rows than the run brings": {
    behaviours: ["responseBytes", "pageTooLarge"],
    why: "they need a large run",
  },
  "words for a failure, and runs of tasks without a list": {
    behaviours: ["statusWords=noFailed", "statusWords=sentNoFailed", "splitting=listsOnly"],
    why: "one run of one task does not show them",
  },
};
