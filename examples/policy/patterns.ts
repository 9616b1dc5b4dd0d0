/** Whether a text is one of these patterns, in which `*` stands for any text. Case does not count. */
export function matchesOne(text: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
    return new RegExp(`^${parts.join(".*")}$`, "i").test(text);
  });
}
