import type { Layer } from "../step";
import { guardAccount } from "./accountGuard";
import { keepJournal } from "./journal";
import { checkOrigin } from "./originCheck";
import { claimParts } from "./ownership";
import { noteReplaced } from "./replaced";

/** The layers through which each call of the engine passes, outermost first. */
export const layers: readonly Layer[] = [
  // First, so that a resource of another service makes no claims and no journal entries.
  checkOrigin,
  claimParts,
  keepJournal,
  guardAccount,
  noteReplaced,
];
