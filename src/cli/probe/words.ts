/**
 * Reports are attached to public issues, so nothing of a response is shown as it came, except for words of the service's own vocabulary: statuses and
 * types of actions.
 */
export class Words {
  constructor(private readonly hidden: readonly (string | undefined)[]) {}

  /** A word of the service's vocabulary; undefined if it could be anything else. */
  shown(word: unknown): string | undefined {
    if (typeof word !== "string" || !/^[A-Za-z][A-Za-z0-9._ -]{0,39}$/.test(word)) {
      return undefined;
    }
    const lower = word.toLowerCase();
    return this.hidden.some((each) => each && lower.includes(each.toLowerCase())) ? undefined : word;
  }

  /** Several of them, each once, and how many are left out. */
  list(words: readonly unknown[]): string {
    const all = [...new Set(words)];
    const shown = all.flatMap((word) => this.shown(word) ?? []);
    const left = all.length - shown.length;
    return [...shown, ...(left === 0 ? [] : [`${left} more, which could be data`])].join(", ");
  }
}
