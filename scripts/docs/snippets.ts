/**
 * Snippets of the pages are cut from files that tests run or compile. A comment names the file, and the region of it if the snippet is
 * only a part: `<!-- snippet examples/client/index.ts#copy -->`. The code block after the comment is written by `npm run docs`.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join, posix } from "node:path";
import { repositoryRoot } from "../commands";
import { apiReference } from "../rules/project";

const languages: Record<string, string> = {
  ".ts": "ts",
  ".yml": "yaml",
  ".yaml": "yaml",
  ".json": "json",
  ".sh": "sh",
  ".py": "python",
  ".go": "go",
  ".sql": "sql",
};

/** Languages whose blocks are always cut from a file. */
const fromFiles = ["ts", "typescript", "js", "python", "go", "yaml", "json"];

/** A block ends at its own fence: it never contains another one, with which the text between two blocks would be replaced. */
const marked = /^<!-- snippet ([^\s#]+)(?:#(\w+))? -->\n(?:\n```\w+\n(?:(?![ \t]*```).*\n)*```\n)?/gm;

/** The pages for users, relative to the repository's folder, without the generated API reference. */
export function pages(): string[] {
  const inDocs = readdirSync(join(repositoryRoot, "docs"), { recursive: true, encoding: "utf8" })
    .map((path) => posix.join("docs", path.replaceAll("\\", "/")))
    .filter((path) => path.endsWith(".md") && !path.startsWith(`${apiReference}/`));
  return ["README.md", "contributing/first-resource.md", ...inDocs.sort()];
}

/** A page with its snippets as the files have them. Throws if a file or a region is missing, or if a block does not end. */
export function withSnippets(page: string): string {
  return page.replace(marked, (whole, path: string, region: string | undefined, at: number) => {
    const name = region === undefined ? path : `${path}#${region}`;
    if (whole.endsWith("-->\n") && /^\s*```/.test(page.slice(at + whole.length))) {
      throw new Error(`the block of the snippet ${name} must begin and end with \`\`\` at the start of a line`);
    }
    return `<!-- snippet ${name} -->\n\n\`\`\`${languages[extname(path)] ?? "text"}\n${snippet(path, region)}\n\`\`\`\n`;
  });
}

/** What is wrong with the snippets of a page: out of date, or not cut from a file. */
export function snippetProblems(path: string): string[] {
  return problemsIn(path, readFileSync(join(repositoryRoot, path), "utf8"));
}

/** @param path of the page, for messages */
export function problemsIn(path: string, text: string): string[] {
  try {
    const unmarked = [...text.replace(marked, "").matchAll(/^[ \t]*```(\w+)\n[ \t]*(.*)/gm)]
      .filter(([, language = ""]) => fromFiles.includes(language))
      .map(
        ([, , line]) =>
          `${path}: the block "${line}" is not cut from a file: put a comment <!-- snippet FILE#REGION --> before it`,
      );
    return [
      ...unmarked,
      ...(withSnippets(text) === text ? [] : [`${path}: a snippet is out of date. Run: npm run docs`]),
    ];
  } catch (error) {
    return [`${path}: ${error instanceof Error ? error.message : error}`];
  }
}

/** The code of a region of a file, of a key of a YAML file, or of the whole file. Throws if there is none. */
export function snippet(path: string, region?: string): string {
  const file = join(repositoryRoot, path);
  if (!existsSync(file)) throw new Error(`the file of a snippet does not exist: ${path}`);
  const source = readFileSync(file, "utf8");
  const code = region === undefined ? source : (markedIn(source, region) ?? keyIn(source, region));
  if (code === undefined) throw new Error(`${path} has no region ${region}`);
  return unindented(code.trimEnd());
}

function markedIn(source: string, region: string): string | undefined {
  const marked = new RegExp(`^[ \\t]*(?://|#) #region ${region}\\n([\\s\\S]*?)^[ \\t]*(?://|#) #endregion`, "m");
  return marked.exec(source)?.[1];
}

/** A key of YAML, or a step with this name. What users copy has no marks. */
function keyIn(source: string, key: string): string | undefined {
  return new RegExp(`^( *)(?:${key}:|- name: ${key})\\n(?:\\1[ \\t]+.*\\n|\\n)+`, "m").exec(source)?.[0];
}

/** Without markers of other regions, and without the indentation that all lines have. */
function unindented(code: string): string {
  const lines = code.split("\n").filter((line) => !/^[ \t]*(?:\/\/|#) #(?:end)?region\b/.test(line));
  const margin = Math.min(...lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/)));
  return lines.map((line) => line.slice(margin)).join("\n");
}
