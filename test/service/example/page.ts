import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const page = join(__dirname, "../../../docs/client.md");
const example = join(__dirname, "withoutPulumi.ts");

/** The page of the documentation with each snippet cut anew from the example that the test runs. */
export function pageWithSnippets(): string {
  const source = readFileSync(example, "utf8");
  const head = 'import { isServiceError, optionsFromEnvironment, ServiceClient } from "pulumi-webextract/service";';
  return readFileSync(page, "utf8").replace(
    /<!-- region (\w+) -->\n(?:\n```ts\n[\s\S]*?\n```\n)?/g,
    (_whole, name: string) => {
      const code = new RegExp(`// #region ${name}\\n([\\s\\S]*?)// #endregion`).exec(source)?.[1];
      if (code === undefined) throw new Error(`the example has no region ${name}`);
      const imports = name === "client" ? `${head}\n\n` : "";
      return `<!-- region ${name} -->\n\n\`\`\`ts\n${imports}${code.trimEnd()}\n\`\`\`\n`;
    },
  );
}

export function currentPage(): string {
  return readFileSync(page, "utf8");
}

if (require.main === module) writeFileSync(page, pageWithSnippets());
