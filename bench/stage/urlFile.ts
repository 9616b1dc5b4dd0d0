import { closeSync, openSync, writeSync } from "node:fs";

/** Writes a file of distinct URLs, one per line. It resembles the start URLs of a large shop: 57 bytes per line. */
export function writeUrls(path: string, count: number): void {
  const file = openSync(path, "w");
  try {
    for (let from = 0; from < count; from += 10_000) {
      const lines = Array.from({ length: Math.min(10_000, count - from) }, (_, index) => urlOf(from + index));
      writeSync(file, lines.join(""));
    }
  } finally {
    closeSync(file);
  }
}

function urlOf(index: number): string {
  return `https://shop-${index % 7}.test/catalogue/articles/${String(index).padStart(8, "0")}?view=all\n`;
}
