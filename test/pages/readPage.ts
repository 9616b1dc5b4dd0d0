import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const repository = resolve(__dirname, "../..");

/** The text of a page. @param path relative to the repository's folder */
export function readPage(path: string): string {
  return readFileSync(join(repository, path), "utf8");
}

/** All code blocks of a language in a page. */
export function blocks(page: string, language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map((match) => match[1] ?? "");
}
