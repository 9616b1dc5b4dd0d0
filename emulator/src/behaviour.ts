/**
 * Every way in which services of this kind differ where the contract shows nothing, as ONE table. The documentation's table and any test
 * matrix are derived from it; {@link Behaviour} is its type. The default of each row is the contract's literal reading, or, where it has none,
 * what is seen most.
 */

/** A behaviour with a closed list of values. */
export interface Choice<T extends string> {
  /** Tells it from an {@link Amount}. */
  readonly kind: "choice";
  /** The contract's literal reading, or, where it has none, what is seen most. */
  readonly default: T;
  /** All allowed values, the default first. */
  readonly values: readonly T[];
  /** What the values do. */
  readonly meaning: string;
}

/** A behaviour that is a whole number; 0 mostly turns it off. */
export interface Amount {
  /** Tells it from a {@link Choice}. */
  readonly kind: "amount";
  /** Mostly 0: turned off. */
  readonly default: number;
  /** The smallest value allowed. */
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
    "Body of an error: `{error: {code, message}, requestId}`; `{error, error_Description}` (`legacy`); a page of a proxy; nothing.",
  ),
  errorStatus: choice(
    ["usual", "all400"],
    "Status of an error: 400 for what the request is to blame for, 401 token, 403 plan, 500 ServerError (`usual`); 400 for all of them. Too many requests is always 429.",
  ),
  expiredToken: choice(
    ["status401", "status403", "status400"],
    "Status of the answer to an expired or unknown access token; its code is Invalid.Token.",
  ),
  accessTokenRequests: amount(
    0,
    [7],
    "An access token is refused as expired after so many requests. 0: it lives its time.",
  ),
  tokenLifetime: amount(86399, [], "Seconds that an access token lives; what `expires_in` says.", 1),
  expiresIn: choice(["number", "text"], "`expires_in` as a number or as text."),
  refreshRotation: choice(
    ["oldLives", "oldDies", "same"],
    "The refresh token used for a refresh goes on working beside the new one; dies at once; or no new one is handed out.",
  ),
  refreshPath: choice(
    ["token", "tokenRefresh", "both"],
    "Path of the refresh: `/token`, `/token/refresh` alone, or both.",
  ),
  credentialAcceptance: choice(
    ["contract", "apiKeyEverywhere", "bearerOnUpload", "either"],
    "Which credential is taken: the contract's; x-api-key everywhere (Bearer still works, but not on the upload); the access token on the upload instead of the key; either everywhere.",
  ),
  requestsPerSecond: amount(0, [20], "So many requests are taken in a second, then 429. 0: no limit."),
  refuseEvery: amount(0, [5], "Each n-th request is answered 429, without effect. 0: none. Counts instead of a clock."),
  retryAfter: choice(["none", "seconds", "date"], "The Retry-After header of a 429: absent, seconds, or a date."),
  badGatewayEvery: amount(
    0,
    [6],
    "A proxy in front: the answer to each n-th request is lost and replaced by a page with `badGatewayStatus`, AFTER the effect. 0: none.",
  ),
  badGatewayStatus: choice(["502", "503", "504"], "The status the proxy in front answers with."),
  idleSockets: choice(
    ["kept", "closedAfterAnswer", "resetOnReuse"],
    "Kept-alive sockets: kept; closed after each answer without an announcement; reset, without effect, when a second request comes on them.",
  ),
  startAnswer: choice(["data", "null"], "`data` of a start: lotNo and status, or null (older services)."),
  startWhileRunning: choice(
    ["refused", "sameRun", "newRun"],
    "A start of a running task: refused with TaskExecuting; answered with the run there is; another run beside it.",
  ),
  changeWhileRunning: choice(
    ["accepted", "refused"],
    "A change of a running task, or a removal of its data: accepted, or refused with TaskExecuting.",
  ),
  statusWords: choice(
    ["usual", "withSent", "synonyms", "noFailed", "unknown"],
    "Words for a status: Waiting, Extracting, Stopped, Finished, Failed; with Sent in between; Queued, Running, Stopped, Completed, Error; Failed shown as Stopped; Finished shown as Concluded, which nobody knows.",
  ),
  statusCase: choice(
    ["capital", "lower", "upper", "mixed"],
    "Case of a status. `mixed`: small letters in the answer to start, capitals in the list.",
  ),
  readsUntilFinished: amount(
    0,
    [3],
    "A run waits, then extracts, until the subtask list has been read so often. 0: it works at once, as fast as its pages answer.",
  ),
  splitting: choice(
    ["always", "listsOnly", "never"],
    "Which runs show subtasks: each (at least one); those of tasks with a list of URLs or texts; none: their list stays empty.",
  ),
  subtaskListLag: amount(
    0,
    [3],
    "After a start, so many reads of the subtask list still show the previous batch (an empty list before the first).",
  ),
  subtaskPageMax: amount(0, [20], "Largest page of the subtask list. 0: no maximum."),
  dataPageMax: amount(0, [1000], "Largest page of rows. 0: no maximum."),
  pageTooLarge: choice(
    ["refused", "clamped"],
    "A page size above the maximum: refused with InvalidParameter, or answered with fewer.",
  ),
  answerBytes: choice(
    ["unlimited", "cut", "refused"],
    "An answer with rows over 4 MB (up to 200 rows asked for) or 8 MB (more): sent whole; cut after the last row that fits; refused with InvalidParameter.",
  ),
  rowsArriveLate: amount(
    0,
    [3],
    "When a run's last subtask has finished, the second half of its rows is still missing and arrives over so many reads of rows. 0: all are there.",
  ),
  offsetAnswer: choice(
    ["asked", "next", "cursor", "zero"],
    "`offset` in the answer: the one asked for; asked + rows; an opaque cursor (0, 1024, 1124), the only thing that may be asked for next; always 0.",
  ),
  endOfData: choice(
    ["restTotal", "emptyPage", "offsetStays"],
    "What tells the end: restTotal 0; only an empty page (restTotal always says total); an answered offset that is the one asked for (with `next` and `cursor`; restTotal always says total).",
  ),
  notExported: choice(
    ["untilMarked", "handedOutOnce"],
    "What is not exported comes again until it is marked; or each row is handed out once.",
  ),
  notExportedCounts: choice(
    ["usual", "allRows"],
    "`total` of the read of what is not exported: rows not exported; all rows of the task. `current`: rows in this answer.",
  ),
  markScope: choice(
    ["task", "returned"],
    "What a mark marks: all rows that the task holds at that moment, or those handed out by the read of what is not exported.",
  ),
  copyGroup: choice(
    ["required", "optional"],
    "taskGroupId of a copy: required; or the group of the source where it is missing.",
  ),
  getActionsMissing: choice(
    ["refusedNamed", "refusedUnnamed", "leftOut"],
    "getActions of several tasks of which one does not exist: refused, naming it; refused without a name; left out of the answer.",
  ),
  getActionsEmptyTypes: choice(
    ["none", "all", "refused"],
    "getActions with an empty list of types: each task with no action; with all actions; refused with InvalidParameter.",
  ),
  actionShape: choice(
    ["list", "map", "flat"],
    "Properties of an action in the answer of getActions: a list of name and value; an object; fields of the action itself.",
  ),
  propertyValues: choice(
    ["asWritten", "typed"],
    "Property values in the answer of getActions: the text that was written; numbers and booleans where the text is one.",
  ),
  loopTypeRead: choice(
    ["asWritten", "upperUrl"],
    "loopType in the answer of getActions: as written; UrlList as URLList.",
  ),
  isAppendOmitted: choice(["replaces", "appends"], "An update of loop items without isAppend."),
  taskGone: choice(
    ["invalidTaskId", "unnamed", "notFound", "serverError"],
    "A task that does not exist: 400 InvalidTaskId with its id in the message; without the id; 404 with the code; ServerError.",
  ),
} as const;

type ValueOf<B> = B extends Choice<infer T> ? T : number;

/** Name of a behaviour. */
export type BehaviourName = keyof typeof behaviours;

/** One value for each behaviour. */
export type Behaviour = { -readonly [Name in BehaviourName]: ValueOf<(typeof behaviours)[Name]> };

/** All names, in the table's order. */
export const behaviourNames = Object.keys(behaviours) as BehaviourName[];

/** The contract's literal reading. */
export function defaultBehaviour(): Behaviour {
  return Object.fromEntries(behaviourNames.map((name) => [name, behaviours[name].default])) as Behaviour;
}

/** What may be written for a behaviour, for messages and documentation. */
export function allowedValues(name: BehaviourName): string {
  const row: Choice<string> | Amount = behaviours[name];
  return row.kind === "choice" ? row.values.join(", ") : `a whole number of at least ${row.minimum}`;
}

/** Values other than the default, for a test of each. */
export function otherValues(name: BehaviourName): readonly (string | number)[] {
  const row: Choice<string> | Amount = behaviours[name];
  return row.kind === "choice" ? row.values.slice(1) : row.examples;
}

/**
 * The behaviour with some values changed.
 * @throws Error that names what is unknown and lists what is allowed.
 */
export function withBehaviour(base: Behaviour, changes: Partial<Behaviour>): Behaviour {
  const entries = Object.entries(changes).filter(([, value]) => value !== undefined);
  for (const [name, value] of entries) {
    if (!isBehaviourName(name)) throw new Error(`unknown behaviour "${name}"; there are: ${behaviourNames.join(", ")}`);
    if (!isAllowed(name, value)) {
      throw new Error(`behaviour ${name} cannot be ${JSON.stringify(value)}; allowed: ${allowedValues(name)}`);
    }
  }
  return { ...base, ...Object.fromEntries(entries) };
}

/** Reads `name=value`, as given on the command line. */
export function parseBehaviour(text: string): Partial<Behaviour> {
  const separator = text.indexOf("=");
  const name = separator < 0 ? text : text.slice(0, separator);
  if (!isBehaviourName(name)) throw new Error(`unknown behaviour "${name}"; there are: ${behaviourNames.join(", ")}`);
  if (separator < 0) throw new Error(`behaviour ${name} needs a value: ${name}=…; allowed: ${allowedValues(name)}`);
  const raw = text.slice(separator + 1);
  const value = behaviours[name].kind === "amount" && /^\d+$/.test(raw) ? Number(raw) : raw;
  if (!isAllowed(name, value)) {
    throw new Error(`behaviour ${name} cannot be ${JSON.stringify(raw)}; allowed: ${allowedValues(name)}`);
  }
  return { [name]: value };
}

function isBehaviourName(name: string): name is BehaviourName {
  return Object.hasOwn(behaviours, name);
}

function isAllowed(name: BehaviourName, value: unknown): boolean {
  const row: Choice<string> | Amount = behaviours[name];
  if (row.kind === "choice") return row.values.some((allowed) => allowed === value);
  return Number.isSafeInteger(value) && Number(value) >= row.minimum;
}
