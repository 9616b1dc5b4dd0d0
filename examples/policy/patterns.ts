/** Whether a string matches one of the patterns. `*` matches any characters. The comparison ignores case. */
export function matchesOne(text: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    const parts = pattern.split("*").map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
    return new RegExp(`^${parts.join(".*")}$`, "i").test(text);
  });
}
