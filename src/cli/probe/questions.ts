import * as copy from "./ask/copyQuestions";
import * as loop from "./ask/loopQuestions";
import * as operation from "./ask/operationQuestions";
import * as read from "./ask/readQuestions";
import * as rows from "./ask/rowQuestions";
import * as run from "./ask/runQuestions";
import type { Question } from "./question";

const ofCopy = { sends: "writes", needs: "copy" } as const;
const ofRun = { sends: "starts", needs: "run" } as const;
/** Questions about the task of a probe that only reads. A probe that writes finds out more. */
const ofTask = { sends: "reads", needs: "task", onlyWithoutWrites: true } as const;

/** All questions, in the order in which they are asked. */
export const questions: readonly Question[] = [
  {
    check: "proxies on the way",
    most: 0,
    sends: "reads",
    behaviours: [],
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
    most: 1,
    sends: "writes",
    behaviours: ["expiredToken"],
    usual: "not in the contract; mostly 401 Invalid.Token",
    ask: operation.wrongToken,
  },
  {
    check: "path that does not exist",
    most: 1,
    sends: "writes",
    behaviours: ["errorStatus"],
    usual: "not in the contract; mostly 404",
    ask: operation.unknownPath,
  },
  {
    check: "required field that is missing",
    most: 2,
    sends: "writes",
    behaviours: [],
    usual: "not in the contract; mostly 400 InvalidParameter.Required",
    ask: operation.missingField,
  },
  {
    check: "copy without a group",
    most: 1,
    sends: "writes",
    behaviours: ["copyGroup"],
    usual: "the group is required",
    ask: copy.copyWithoutGroup,
  },
  {
    check: "the copy",
    most: 1,
    sends: "writes",
    behaviours: [],
    usual: "a response with the taskId of the new task",
    needs: "trial",
    ask: copy.copyTask,
  },
  {
    ...ofCopy,
    check: "actions of the copy",
    most: 1,
    behaviours: ["actionShape", "propertyValues"],
    usual: "not in the contract",
    ask: copy.actionsOfCopy,
  },
  {
    check: "empty list of action types",
    most: 2,
    sends: "reads",
    behaviours: ["getActionsEmptyTypes"],
    usual: "not in the contract",
    needs: "task",
    ask: read.actionTypes,
  },
  {
    ...ofTask,
    check: "words of a success",
    most: 1,
    behaviours: ["successBody"],
    usual: "no `error`",
    ask: read.wordsOfSuccess,
  },
  {
    ...ofTask,
    check: "order of rows",
    most: 2,
    behaviours: ["rowOrder"],
    usual: "not in the contract",
    ask: read.rowOrder,
  },
  {
    ...ofTask,
    check: "size of a page of rows",
    most: 6,
    behaviours: ["dataPageMax"],
    usual: "not in the contract; mostly 1000",
    ask: read.pageSize,
  },
  {
    ...ofTask,
    check: "subtasks of a run",
    most: 2,
    behaviours: ["splitting", "statusWords"],
    usual: "Waiting, Extracting, Stopped, Finished, Failed",
    ask: read.subtasks,
  },
  {
    ...ofCopy,
    check: "several tasks, one of them missing",
    most: 1,
    behaviours: ["getActionsMissing"],
    usual: "not in the contract",
    ask: copy.severalTasks,
  },
  {
    ...ofCopy,
    check: "credential of each operation",
    most: 5,
    behaviours: ["credentialAcceptance"],
    usual: "the API key for the upload, the access token for all others",
    ask: copy.credentialsOfCopy,
  },
  {
    ...ofCopy,
    check: "two credentials in one request",
    most: 2,
    behaviours: ["bothCredentials"],
    usual: "not in the contract",
    ask: operation.bothCredentials,
  },
  {
    ...ofCopy,
    check: "action that does not exist",
    most: 1,
    behaviours: [],
    usual: "not in the contract; mostly 400 TaskSettingsNotFound",
    ask: copy.unknownAction,
  },
  {
    ...ofCopy,
    check: "task that does not exist, for each operation",
    most: 18,
    behaviours: ["errorBody", "taskGone"],
    usual: "not in the contract; mostly 400 InvalidTaskId",
    ask: operation.refusals,
  },
  {
    ...ofCopy,
    check: "properties",
    most: 2,
    behaviours: [],
    usual: "the value that was written",
    ask: loop.properties,
  },
  {
    ...ofCopy,
    check: "loops of updateTaskParameters",
    most: 4,
    behaviours: ["loopsInActions", "updatedParameters"],
    usual: "a loop inside its action takes effect",
    ask: loop.loopsInParameters,
  },
  {
    ...ofCopy,
    check: "loops of updateLoopItems",
    most: 7,
    behaviours: ["isAppendOmitted", "loopTypeRead"],
    usual: "isAppend appends or replaces; without it, the contract is silent",
    ask: loop.loopItems,
  },
  {
    ...ofCopy,
    check: "sizes of pages",
    most: 12,
    behaviours: ["dataPageMax", "subtaskPageMax"],
    usual: "not in the contract; mostly 1000 rows, 20 subtasks",
    ask: copy.pageLimits,
  },
  {
    ...ofCopy,
    check: "reads, marks and removes without rows",
    most: 4,
    behaviours: ["successBody"],
    usual: "a success without data",
    ask: copy.withoutRows,
  },
  {
    check: "response to a start",
    most: 1,
    sends: "starts",
    behaviours: ["startResponse"],
    usual: "a lotNo and a status",
    needs: "copy",
    ask: run.start,
  },
  {
    ...ofRun,
    check: "change while the task runs",
    most: 1,
    behaviours: ["changeWhileRunning"],
    usual: "not in the contract; mostly 400 TaskExecuting",
    ask: run.changeWhileRunning,
  },
  {
    ...ofRun,
    check: "course of the run",
    most: 26,
    behaviours: ["statusWords", "statusCase", "readsUntilFinished", "subtaskListLag", "splitting"],
    usual: "Waiting, Extracting, Stopped, Finished, Failed",
    ask: run.course,
  },
  {
    ...ofRun,
    check: "rows after the end",
    most: 8,
    behaviours: ["rowsArriveLate"],
    usual: "not in the contract",
    ask: rows.lateRows,
  },
  {
    ...ofRun,
    check: "offsets and totals",
    most: 3,
    behaviours: ["offsetResponse", "endOfData", "rowsWhileReading"],
    usual: "the next offset, restTotal 0 at the end",
    ask: rows.offsets,
  },
  {
    ...ofRun,
    check: "rows of the batch",
    most: 1,
    behaviours: ["batchRows"],
    usual: "all rows of the run",
    ask: rows.batch,
  },
  {
    ...ofRun,
    check: "rows that are not exported, and a mark",
    most: 4,
    behaviours: ["rowOrder", "notExported", "notExportedCounts", "otherMarks", "markScope"],
    usual: "a mark includes all rows of the task",
    ask: rows.marks,
  },
  {
    ...ofRun,
    check: "empty pages before the last row",
    most: 7,
    behaviours: ["emptyPageEvery"],
    usual: "none",
    ask: rows.emptyPages,
  },
  {
    ...ofRun,
    check: "rows after a remove",
    most: 2,
    behaviours: [],
    usual: "none",
    ask: rows.remove,
  },
  {
    ...ofCopy,
    check: "shapes of ids",
    most: 0,
    behaviours: [],
    usual: "strings",
    ask: copy.idShapes,
  },
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
