import type { Layer } from "../step";
import { guardAccount } from "./accountGuard";
import { keepJournal } from "./journal";
import { checkOrigin } from "./originCheck";
import { claimParts } from "./ownership";

/** What each call of the engine passes through on its way to the resource, outermost first. */
export const layers: readonly Layer[] = [
  // First: a resource of another service must claim nothing, and the journal must learn nothing of it.
  checkOrigin,
  claimParts,
  keepJournal,
  guardAccount,
];
