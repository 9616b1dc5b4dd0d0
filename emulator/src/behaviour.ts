/**
 * The ways in which services of this kind differ where the contract is silent, as one table. The table in docs/behaviours.md and the test matrix are
 * derived from it, and {@link Behaviour} is its type.
 */

import { Refusal, shown } from "./errors";

/** A behaviour with a closed list of values. */
export interface Choice<T extends string> {
  /** Distinguishes it from an {@link Amount}. */
  readonly kind: "choice";
  /** What the contract says literally, or, where it says nothing, what most services do and most clients can work with. */
  readonly default: T;
  /** All allowed values, the default first. */
  readonly values: readonly T[];
  /** What the values do. */
  readonly meaning: string;
}

/** A behaviour that is an integer. */
export interface Amount {
  /** Distinguishes it from a {@link Choice}. */
  readonly kind: "amount";
  /** 0 turns most of them off. */
  readonly default: number;
  /** The smallest allowed value. */
  readonly minimum: number;
  /** Values other than the default that are worth a test. */
  readonly examples: readonly number[];
  /** What the number counts. */
  readonly meaning: string;
}

function choice<T extends string>(values: readonly [T, ...T[]], meaning: string): Choice<T> {
  return { kind: "choice", default: values[0], values, meaning };
}

function amount(standard: number, examples: readonly number[], meaning: string, minimum = 0): Amount {
  return { kind: "amount", default: standard, minimum, examples, meaning };
}

/** All behaviours: name, allowed values, default, meaning. */
export const behaviours = {
  errorBody: choice(
    ["envelope", "legacy", "html", "empty"],
    "Body of an error. `envelope`: `{error: {code, message}, requestId}`. `legacy`: `{error, error_Description}`. `html`: a page of a proxy. `empty`: no body.",
  ),
  errorStatus: choice(
    ["usual", "all400"],
    "Status of an error. `usual`: 401 for a token, 403 for a plan, 500 for ServerError, 400 for all others. `all400`: always 400. Too many requests is always 429.",
  ),
  successBody: choice(
    ["contract", "nullData", "words", "wordsWithoutData"],
    'What a successful response has beside `data` and `requestId`. `contract`: nothing. `nullData`: `data: null` where the contract has no data. `words`: the same, and `error: "success"` with `error_Description`. `wordsWithoutData`: the same, and `data: null` also in the responses of the three updates of actions and loops.',
  ),
  expiredToken: choice(
    ["status401", "status403", "status400"],
    "Status of the response to an expired or unknown access token. The code is always Invalid.Token.",
  ),
  accessTokenRequests: amount(
    0,
    [7],
    "Number of requests after which an access token is refused as expired. 0: no limit.",
  ),
  tokenLifetime: amount(86399, [], "Lifetime of an access token in seconds. `expires_in` has the same value.", 1),
  expiresIn: choice(["number", "string"], "Type of `expires_in`."),
  refreshRotation: choice(
    ["oldLives", "oldDies", "same"],
    "What a refresh does to the refresh token that it used. `oldLives`: the old and the new token work. `oldDies`: only the new token works. `same`: there is no new token.",
  ),
  refreshPath: choice(
    ["token", "tokenRefresh", "both"],
    "Path of the refresh. `token`: `/token`. `tokenRefresh`: `/token/refresh`. `both`: both paths.",
  ),
  passwordLogin: choice(
    ["refused", "taken"],
    "A request to `/token` with `grant_type: password`, as current clients get their first token. It is outside the contract. `taken`: any `username`, with the API key of the account as `password`.",
  ),
  credentialAcceptance: choice(
    ["contract", "apiKeyEverywhere", "bearerOnUpload", "either"],
    "Accepted credentials. `contract`: as in openapi.yaml. `apiKeyEverywhere`: x-api-key for every operation; Bearer also works, except for the upload. `bearerOnUpload`: the upload takes the access token instead of the key. `either`: both, for every operation.",
  ),
  bothCredentials: choice(
    ["accepted", "refused"],
    "A request with both an access token and x-api-key. `accepted`: the one that the operation wants counts. `refused`: InvalidParameter.",
  ),
  plansNeeded: choice(
    ["contract", "everyOperation"],
    "Operations that need a Professional or Enterprise plan. `contract`: those that openapi.yaml names. `everyOperation`: all but the refresh of tokens.",
  ),
  requestsPerSecond: amount(0, [20], "Accepted requests in one second; the others get 429. 0: no limit."),
  refuseEvery: amount(0, [5], "Every n-th request gets 429 and has no effect. 0: no request."),
  retryAfter: choice(
    ["none", "seconds", "date"],
    "The Retry-After header of a 429. `none`: no header. `seconds`: a number of seconds. `date`: a date.",
  ),
  badGatewayEvery: amount(
    0,
    [6],
    "A proxy replaces the response to every n-th request by a page with `badGatewayStatus`. The request has its effect. 0: no request.",
  ),
  badGatewayStatus: choice(["502", "503", "504"], "Status of the page that `badGatewayEvery` sends."),
  idleSockets: choice(
    ["kept", "closedAfterResponse", "resetOnReuse"],
    "Sockets after a response. `kept`: they stay open. `closedAfterResponse`: the emulator closes them without a `Connection: close` header. `resetOnReuse`: the emulator resets them when a second request arrives, which then has no effect.",
  ),
  startResponse: choice(
    ["data", "null", "true"],
    "`data` of the response to a start. `data`: `lotNo` and `status`. `null`: null, as in older services. `true`: true.",
  ),
  startWhileRunning: choice(
    ["refused", "sameRun", "newRun"],
    "A start of a running task. `refused`: TaskExecuting. `sameRun`: the response has the current run. `newRun`: a second run starts.",
  ),
  changeWhileRunning: choice(
    ["accepted", "refused"],
    "A change or a removal of data while the task runs. `accepted`: it works. `refused`: TaskExecuting.",
  ),
  statusWords: choice(
    ["usual", "withSent", "synonyms", "noFailed", "sentNoFailed", "unknown"],
    "Words for a status. `usual`: Waiting, Extracting, Stopped, Finished, Failed. `withSent`: also Sent. `synonyms`: Queued, Running, Stopped, Completed, Error. `noFailed`: Stopped instead of Failed. `sentNoFailed`: also Sent, and Stopped instead of Failed. `unknown`: Concluded, a word that no client knows, instead of Finished.",
  ),
  statusCase: choice(
    ["capital", "lower", "upper", "mixed"],
    "Case of a status. `mixed`: lower case in the response to a start, capitalized in the list of subtasks.",
  ),
  readsUntilFinished: amount(
    0,
    [3],
    "Number of reads of the subtask list until a run finishes; until then the run shows as waiting or extracting. 0: the run works immediately.",
  ),
  splitting: choice(
    ["always", "listsOnly", "never"],
    "Runs whose subtasks are listed. `always`: every run, with at least one subtask. `listsOnly`: runs of tasks with a list of URLs or texts. `never`: none; the list stays empty.",
  ),
  subtaskListLag: amount(
    0,
    [3],
    "Number of reads of the subtask list after a start that still return the previous batch, or an empty list if there is none.",
  ),
  subtaskPageMax: amount(0, [20], "Maximum page size of the subtask list. 0: no maximum."),
  dataPageMax: amount(0, [1000], "Maximum page size of rows. 0: no maximum."),
  pageTooLarge: choice(
    ["refused", "clamped"],
    "A page size above the maximum. `refused`: InvalidParameter. `clamped`: the response has fewer rows.",
  ),
  responseBytes: choice(
    ["unlimited", "cut", "refused"],
    "A response with rows of more than 4 MB (size up to 200) or 8 MB (larger sizes). `unlimited`: it is sent. `cut`: it ends after the last row that fits. `refused`: InvalidParameter.",
  ),
  rowsArriveLate: amount(
    0,
    [3],
    "After a run has finished, the second half of its rows arrives during this number of reads of rows. 0: all rows are there.",
  ),
  rowOrder: choice(
    ["oldestFirst", "newestFirst"],
    "Order of rows in the two reads by offset. `oldestFirst`: as they arrived. `newestFirst`: the last one first, so that new rows move all others.",
  ),
  rowsWhileReading: amount(
    0,
    [1],
    "Rows that arrive after each page of `/data/all` that has several rows and is not the last one. They belong to the latest batch.",
  ),
  batchRows: choice(
    ["all", "distinct"],
    "Rows of a read of a batch. `all`: all rows of the run. `distinct`: without those that equal an earlier one, also in `total`.",
  ),
  offsetResponse: choice(
    ["next", "asked", "cursor", "zero"],
    "`offset` of a response. `next`: the requested offset plus the number of rows. `asked`: the requested offset. `cursor`: an opaque value (0, 1024, 1124), and only such a value is a valid next offset. `zero`: always 0.",
  ),
  endOfData: choice(
    ["restTotal", "emptyPage", "offsetStays"],
    "How a client finds the end of the rows. `restTotal`: `restTotal` is 0. `emptyPage`: an empty page; `restTotal` always equals `total`. `offsetStays`: the response has the requested offset (with `next` and `cursor`); `restTotal` always equals `total`.",
  ),
  emptyPageEvery: amount(
    0,
    [7],
    "Every n-th page of the reads by offset that does not begin at 0 is empty, although `restTotal` says that rows are left. 0: no page.",
  ),
  notExported: choice(
    ["untilMarked", "handedOutOnce"],
    "Rows of `/data/notexported`. `untilMarked`: the same rows until they are marked. `handedOutOnce`: each row once.",
  ),
  notExportedCounts: choice(
    ["usual", "notReturned", "allRows"],
    "`total` of `/data/notexported`. `usual`: the rows that are not exported. `notReturned`: of these, with `notExported=handedOutOnce`, the rows that no response has contained. `allRows`: all rows of the task. `current` is always the number of rows in the response.",
  ),
  markScope: choice(
    ["task", "returned"],
    "Rows that `/data/markexported` marks. `task`: all rows of the task at that moment. `returned`: the rows that `/data/notexported` has returned.",
  ),
  otherMarks: choice(
    ["none", "half", "all"],
    "Rows that somebody else marks as exported before each response to `/data/notexported`. `none`: no rows. `half`: the first half of each batch. `all`: all rows.",
  ),
  copyGroup: choice(
    ["required", "optional"],
    "`taskGroupId` of a copy. `required`: a copy without it is refused. `optional`: the default is the group of the source.",
  ),
  urlsFileTaskId: choice(
    ["field", "query"],
    "Where an upload has its `taskId`. `field`: in the form. `query`: in the query; the form's field is ignored.",
  ),
  loopsInActions: choice(
    ["taken", "ignored", "repeatedOnly"],
    "Loops inside the actions of updateTaskParameters. `taken`: they are written. `ignored`: the response is a success without an effect; a list `loopItems` beside `actions` is written instead, and either list can be absent. `repeatedOnly`: the same, and `updatedParameters` is a copy of the request.",
  ),
  updatedParameters: choice(
    ["repeated", "lists", "counts", "empty"],
    "`updatedParameters` of the response to updateTaskParameters. `repeated`: what was written, loops inside their actions. `lists`: the same, loops in a list `loopItems` beside `actions`. `counts`: names of the properties and numbers of loop items. `empty`: nothing.",
  ),
  getActionsMissing: choice(
    ["refusedNamed", "refusedUnnamed", "leftOut"],
    "getActions of several tasks, one of which does not exist. `refusedNamed`: refused, with the task's id. `refusedUnnamed`: refused, without an id. `leftOut`: the response has the other tasks only.",
  ),
  getActionsEmptyTypes: choice(
    ["none", "all", "refused"],
    "getActions with an empty list of action types. `none`: no actions. `all`: all actions. `refused`: InvalidParameter.",
  ),
  actionShape: choice(
    ["list", "map", "flat"],
    "Properties of an action in the response of getActions. `list`: a list of names and values. `map`: an object. `flat`: fields of the action.",
  ),
  propertyValues: choice(
    ["asWritten", "typed"],
    "Property values in the response of getActions. `asWritten`: the strings that were written. `typed`: numbers and booleans where the string is one.",
  ),
  loopTypeRead: choice(
    ["asWritten", "upperUrl"],
    "`loopType` in the response of getActions. `asWritten`: as written. `upperUrl`: URLList instead of UrlList.",
  ),
  loopTypeWritten: choice(
    ["any", "strict"],
    "`loopType` in requests. `any`: each string is taken. `strict`: UrlList and TextList in updateLoopItems, URLList and TextList in updateTaskParameters, spelled so; all others are refused with InvalidParameter.",
  ),
  isAppendOmitted: choice(["replaces", "appends"], "An update of loop items without `isAppend`."),
  taskGone: choice(
    ["invalidTaskId", "unnamed", "notFound", "notYours", "serverError"],
    "The response for a task that does not exist. `invalidTaskId`: 400 InvalidTaskId, with the task's id in the message. `unnamed`: without the id. `notFound`: 404 InvalidTaskId. `notYours`: 400 TaskNotBelongToYou, without the id, and GroupNotFound for a task group. `serverError`: ServerError.",
  ),
} as const;

type ValueOf<B> = B extends Choice<infer T> ? T : number;

/** Name of a behaviour. */
export type BehaviourName = keyof typeof behaviours;

/** One value for each behaviour. */
export type Behaviour = { -readonly [Name in BehaviourName]: ValueOf<(typeof behaviours)[Name]> };

/** All names, in the table's order. */
export const behaviourNames = Object.keys(behaviours) as BehaviourName[];

/** The default of every behaviour. */
export function defaultBehaviour(): Behaviour {
  return Object.fromEntries(behaviourNames.map((name) => [name, behaviours[name].default])) as Behaviour;
}

/**
 * What public documentation of live services says in November 2026, where it differs from the defaults: all of it at once, for
 * `startEmulator({ behaviour: documentedBehaviour })` and `--behaviours documented`.
 */
export const documentedBehaviour: Readonly<Partial<Behaviour>> = {
  errorStatus: "all400",
  successBody: "nullData",
  expiresIn: "string",
  passwordLogin: "taken",
  credentialAcceptance: "either",
  bothCredentials: "refused",
  plansNeeded: "everyOperation",
  requestsPerSecond: 20,
  changeWhileRunning: "refused",
  statusWords: "sentNoFailed",
  statusCase: "mixed",
  splitting: "listsOnly",
  subtaskPageMax: 20,
  dataPageMax: 1000,
  responseBytes: "refused",
  rowOrder: "newestFirst",
  batchRows: "distinct",
  offsetResponse: "cursor",
  markScope: "returned",
  copyGroup: "optional",
  loopsInActions: "ignored",
  updatedParameters: "lists",
  getActionsEmptyTypes: "refused",
  actionShape: "flat",
  loopTypeRead: "upperUrl",
  taskGone: "notYours",
};

/** The allowed values of a behaviour, for messages and documentation. */
export function allowedValues(name: BehaviourName): string {
  const row: Choice<string> | Amount = behaviours[name];
  return row.kind === "choice" ? row.values.join(", ") : `an integer of at least ${row.minimum}`;
}

/** Values other than the default, for a test of each. */
export function otherValues(name: BehaviourName): readonly (string | number)[] {
  const row: Choice<string> | Amount = behaviours[name];
  return row.kind === "choice" ? row.values.slice(1) : row.examples;
}

/**
 * Changes some values of a behaviour.
 * @throws Error that names the unknown name or value and lists the allowed ones.
 */
export function withBehaviour(base: Behaviour, changes: Partial<Behaviour>): Behaviour {
  const entries = Object.entries(changes).filter(([, value]) => value !== undefined);
  for (const [name, value] of entries) {
    if (!isBehaviourName(name))
      throw new Refusal("InvalidParameter", `unknown behaviour "${name}"; known: ${behaviourNames.join(", ")}`);
    if (!isAllowed(name, value)) {
      throw new Refusal(
        "InvalidParameter",
        `behaviour ${name} cannot be ${shown(value)}; allowed: ${allowedValues(name)}`,
      );
    }
  }
  return { ...base, ...Object.fromEntries(entries) };
}

/** Reads `name=value`, as given on the command line. */
export function parseBehaviour(text: string): Partial<Behaviour> {
  const separator = text.indexOf("=");
  const name = separator < 0 ? text : text.slice(0, separator);
  if (!isBehaviourName(name))
    throw new Refusal("InvalidParameter", `unknown behaviour "${name}"; known: ${behaviourNames.join(", ")}`);
  if (separator < 0)
    throw new Refusal(
      "InvalidParameter",
      `behaviour ${name} needs a value: ${name}=…; allowed: ${allowedValues(name)}`,
    );
  const raw = text.slice(separator + 1);
  const value = behaviours[name].kind === "amount" && /^\d+$/.test(raw) ? Number(raw) : raw;
  if (!isAllowed(name, value)) {
    throw new Refusal(
      "InvalidParameter",
      `behaviour ${name} cannot be ${JSON.stringify(raw)}; allowed: ${allowedValues(name)}`,
    );
  }
  return { [name]: value };
}

/** Whether it is the name of a behaviour. */
export function isBehaviourName(name: string): name is BehaviourName {
  return Object.hasOwn(behaviours, name);
}

function isAllowed(name: BehaviourName, value: unknown): boolean {
  const row: Choice<string> | Amount = behaviours[name];
  if (row.kind === "choice") return row.values.some((allowed) => allowed === value);
  return Number.isSafeInteger(value) && Number(value) >= row.minimum;
}
