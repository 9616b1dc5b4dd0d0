/** Whether a URL with it as a part of its path is another URL: fetch, browsers and curl remove it. */
export function isDotSegment(name: string): boolean {
  return name === "." || name === "..";
}
