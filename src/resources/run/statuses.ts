import type { Statuses } from "../resource";

/** The meaning of subtask statuses. They are compared without regard to case. */

const meanings = ["finished", "failed", "stopped"] as const;

/** A status after which a subtask no longer runs. */
export type TerminalStatus = (typeof meanings)[number];

/** The meaning of a status. Undefined means running, as does any status that is not configured. */
export function terminalStatusOf(status: string, statuses: Statuses): TerminalStatus | undefined {
  return meanings.find((meaning) => holds(statuses[meaning], status));
}

/** The given meanings in place of those before. A status that is given one meaning loses the one that it had. */
export function withStatuses(before: Statuses, given: Partial<Statuses> = {}): Statuses {
  const words = meanings.flatMap((meaning) => given[meaning] ?? []);
  const of = (meaning: TerminalStatus): readonly string[] =>
    given[meaning] ?? before[meaning].filter((word) => !holds(words, word));
  return { finished: of("finished"), failed: of("failed"), stopped: of("stopped") };
}

/** What is wrong if a status is given two meanings: a part of a sentence. */
export function statusInTwo(given: Partial<Statuses> = {}): string | undefined {
  const words = meanings.flatMap((meaning) => [...new Set(given[meaning]?.map((word) => word.toLowerCase()))]);
  const twice = words.find((word, index) => words.indexOf(word) < index);
  return twice === undefined ? undefined : `gives the status ${JSON.stringify(twice)} two meanings`;
}

function holds(words: readonly string[], word: string): boolean {
  return words.some((each) => each.toLowerCase() === word.toLowerCase());
}
