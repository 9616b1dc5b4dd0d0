import type { Behaviour, BehaviourName } from "webextract-emulator";
import { behaviours } from "webextract-emulator";
import { settingFor } from "./settings";
import type { Setting } from "./world";

/** Difficult behaviours that one service could combine. */
export interface Combination {
  name: string;
  behaviour: Partial<Behaviour>;
}

/**
 * The life of a task runs on the real engine under these combinations, and under the literal reading of the contract. Two behaviours are left out,
 * because no life can succeed under them: a batch number that never arrives, and a proxy that drops the response to a copy or a start.
 */
export const hostileCombinations: readonly Combination[] = [
  {
    name: "an old service behind strict rules",
    behaviour: {
      errorBody: "legacy",
      errorStatus: "all400",
      expiredToken: "status400",
      accessTokenRequests: 40,
      expiresIn: "string",
      refreshRotation: "oldDies",
      refreshPath: "tokenRefresh",
      credentialAcceptance: "bearerOnUpload",
      idleSockets: "resetOnReuse",
      changeWhileRunning: "refused",
      statusWords: "synonyms",
      statusCase: "upper",
      readsUntilFinished: 3,
      subtaskListLag: 3,
      subtaskPageMax: 2,
      dataPageMax: 10,
      taskGone: "notYours",
      offsetResponse: "cursor",
      endOfData: "emptyPage",
      getActionsMissing: "refusedUnnamed",
      getActionsEmptyTypes: "refused",
      actionShape: "map",
      propertyValues: "typed",
      loopTypeRead: "upperUrl",
      isAppendOmitted: "appends",
      successBody: "nullData",
      bothCredentials: "refused",
      loopsInActions: "ignored",
      updatedParameters: "lists",
      batchRows: "distinct",
    },
  },
  {
    name: "rows that settle late, are returned once and marked page by page",
    behaviour: {
      errorBody: "html",
      expiredToken: "status403",
      refreshRotation: "same",
      credentialAcceptance: "either",
      idleSockets: "closedAfterResponse",
      startWhileRunning: "newRun",
      statusWords: "unknown",
      statusCase: "lower",
      readsUntilFinished: 0,
      splitting: "never",
      dataPageMax: 7,
      pageTooLarge: "clamped",
      responseBytes: "cut",
      rowsArriveLate: 3,
      offsetResponse: "next",
      endOfData: "offsetStays",
      notExported: "handedOutOnce",
      markScope: "returned",
      copyGroup: "optional",
      getActionsMissing: "leftOut",
      getActionsEmptyTypes: "all",
      actionShape: "flat",
      propertyValues: "typed",
      taskGone: "unnamed",
      successBody: "wordsWithoutData",
      rowOrder: "newestFirst",
      updatedParameters: "empty",
    },
  },
  {
    name: "responses that say little, and limits",
    behaviour: {
      errorBody: "empty",
      errorStatus: "all400",
      refreshPath: "both",
      credentialAcceptance: "apiKeyEverywhere",
      startWhileRunning: "sameRun",
      changeWhileRunning: "refused",
      statusWords: "withSent",
      statusCase: "mixed",
      readsUntilFinished: 3,
      splitting: "listsOnly",
      subtaskListLag: 2,
      subtaskPageMax: 1,
      responseBytes: "refused",
      offsetResponse: "zero",
      endOfData: "emptyPage",
      notExportedCounts: "allRows",
      getActionsEmptyTypes: "none",
      propertyValues: "typed",
      loopTypeRead: "upperUrl",
      taskGone: "serverError",
      successBody: "words",
      loopsInActions: "ignored",
      updatedParameters: "counts",
    },
  },
];

/** The differences from the literal reading of the contract, as `name=value`. */
export function pairsOf(behaviour: Partial<Behaviour>): string[] {
  return Object.entries(behaviour).flatMap(([name, value]) =>
    value === behaviours[name as BehaviourName].default ? [] : [`${name}=${value}`],
  );
}

/** The settings of a user under these behaviours. */
export function settingsOf(behaviour: Partial<Behaviour>): Setting[] {
  return pairsOf(behaviour).flatMap((pair) => settingFor[pair] ?? []);
}
