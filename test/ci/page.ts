import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "../..");
const page = join(root, "docs/ci.md");

/** The page of the documentation with each file cut anew from `examples/ci`, which a test runs. */
export function pageWithFiles(): string {
  return currentPage().replace(
    /<!-- file (\S+\.(\w+)) -->\n(?:\n```\w+\n[\s\S]*?\n```\n)?/g,
    (_whole, path: string, kind: string) => {
      const content = readFileSync(join(root, path), "utf8").trimEnd();
      return `<!-- file ${path} -->\n\n\`\`\`${kind === "yml" ? "yaml" : kind}\n${content}\n\`\`\`\n`;
    },
  );
}

export function currentPage(): string {
  return readFileSync(page, "utf8");
}

if (require.main === module) writeFileSync(page, pageWithFiles());
