import assert from "node:assert/strict";

/** Asserts that a text holds nothing that a terminal obeys, that hides other text, or that a CI system takes for a command. */
export function assertShown(text: string, what: string): void {
  assert.doesNotMatch(text, /[^\P{Cc}\t\n]|[^\P{Cf}\u200c\u200d]|[\p{Cs}\u2028\u2029]/u, what);
  assert.doesNotMatch(text, /^\s*::|##\[|##vso\[|##teamcity\[/im, what);
}
