/** What reads cannot show. */
export interface NotAsked {
  /** What is not known afterwards. */
  about: string;
  why: string;
  /** Names of docs/reference/behaviours.md. */
  behaviours: readonly string[];
  /** The setting that depends on it. */
  setting?: string;
}

const write = "needs a write";
const run = "needs a run";
const refresh = "needs a refresh, which may end the life of the present refresh token";

export const notAsked: readonly NotAsked[] = [
  {
    about: "which rows a mark includes",
    why: write,
    behaviours: ["markScope"],
    setting: "webextract:markScope",
  },
  {
    about: "rows that are not exported",
    why: "the read may hand out each row once",
    behaviours: ["notExported", "notExportedCounts"],
  },
  {
    about: "the credential of the upload of start URLs",
    why: write,
    behaviours: ["credentialAcceptance"],
    setting: "webextract:credentials",
  },
  {
    about: "codes with which the service says that nothing was done",
    why: write,
    behaviours: [],
    setting: "webextract:notExecutedCodes",
  },
  { about: "a change of a running task", why: write, behaviours: ["changeWhileRunning"] },
  { about: "loop items without isAppend", why: write, behaviours: ["isAppendOmitted"] },
  { about: "a copy without a group", why: write, behaviours: ["copyGroup"] },
  { about: "the response to a start, and a second start", why: run, behaviours: ["startAnswer", "startWhileRunning"] },
  {
    about: "the list of subtasks right after a start, and during a run",
    why: run,
    behaviours: ["subtaskListLag", "readsUntilFinished"],
  },
  { about: "the rows of a batch", why: "needs a lotNo; they are read like those of the task", behaviours: [] },
  {
    about: "lifetime of tokens, and their rotation",
    why: refresh,
    behaviours: ["tokenLifetime", "expiresIn", "refreshRotation"],
  },
];
