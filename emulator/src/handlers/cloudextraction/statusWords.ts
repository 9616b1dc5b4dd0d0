import type { Behaviour } from "../../behaviour";
import type { SubtaskStatus } from "../../store/store";

type Shown = SubtaskStatus | "sent";
type Words = { readonly [Status in Shown]: string };

const usual: Words = {
  waiting: "Waiting",
  sent: "Waiting",
  extracting: "Extracting",
  stopped: "Stopped",
  finished: "Finished",
  failed: "Failed",
};

const vocabularies: { readonly [Name in Behaviour["statusWords"]]: Words } = {
  usual,
  withSent: { ...usual, sent: "Sent" },
  synonyms: {
    waiting: "Queued",
    sent: "Queued",
    extracting: "Running",
    stopped: "Stopped",
    finished: "Completed",
    failed: "Error",
  },
  noFailed: { ...usual, failed: "Stopped" },
  sentNoFailed: { ...usual, sent: "Sent", failed: "Stopped" },
  unknown: { ...usual, finished: "Concluded" },
};

/** The word for a status, in the case of the behaviour `statusCase`, which can differ between the response to a start and the list. */
export function statusWord(status: Shown, place: "start" | "list", behaviour: Behaviour): string {
  const word = vocabularies[behaviour.statusWords][status];
  switch (behaviour.statusCase) {
    case "lower":
      return word.toLowerCase();
    case "upper":
      return word.toUpperCase();
    case "mixed":
      return place === "start" ? word.toLowerCase() : word;
    default:
      return word;
  }
}
