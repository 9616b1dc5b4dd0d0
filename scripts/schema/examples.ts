/** Examples in the docs of schema.json, in the form of Pulumi's registry: cut from the programs of the reference in each language, which tests run. */
import { snippet } from "../docs/snippets";

/** The regions of the programs that make the example of a resource, with the resources that it needs. */
const regions: Readonly<Record<string, readonly string[]>> = {
  ExtractionTask: ["extractionTask"],
  TaskCopy: ["taskCopy"],
  TaskActionConfig: ["taskCopy", "taskActionConfig"],
  TaskParameters: ["taskCopyAdopted", "taskParameters"],
  TaskLoopItems: ["taskCopy", "taskLoopItems"],
  TaskStartUrls: ["taskCopyAdopted", "taskStartUrls"],
  CloudRun: ["taskCopy", "taskActionConfig", "taskLoopItems", "cloudRun"],
  CloudSubtasks: ["extractionTask", "cloudSubtasks"],
  DataExport: ["taskCopy", "taskActionConfig", "taskLoopItems", "cloudRun", "dataExport"],
  Manifest: ["manifest"],
};

interface Language {
  file: string;
  whole(code: string): string;
}

const folder = "examples/reference";

const languages: Readonly<Record<string, Language>> = {
  typescript: {
    file: "index.ts",
    whole(code) {
      const classes = new Set([...code.matchAll(/new (\w+)\(/g)].map(([, name]) => name));
      return `import { ${[...classes].sort().join(", ")} } from "pulumi-webextract";\n\n${code}`;
    },
  },
  python: { file: "languages/__main__.py", whole: (code) => `import pulumi_webextract as webextract\n\n${code}` },
  go: {
    file: "languages/main.go",
    whole(code) {
      const frame = snippet(`${folder}/languages/main.go`);
      const begin = frame.indexOf("package main");
      const end = frame.indexOf("\n", frame.indexOf("pulumi.Run("));
      return `${frame.slice(begin, end)}\n${indented(withoutUnused(code), "\t\t")}\n\t\treturn nil\n\t})\n}`;
    },
  },
  yaml: { file: "languages/Pulumi.yaml", whole: (code) => `resources:\n${indented(code, "  ")}` },
};

/** The examples of a resource, for the end of its description. */
export function examplesOf(type: string): string {
  const blocks = Object.entries(languages).map(([name, { file, whole }]) => {
    const parts = regions[type]?.map((region) => snippet(`${folder}/${file}`, region)) ?? [];
    if (parts.length === 0) throw new Error(`scripts/schema/examples.ts names no example of ${type}`);
    return `\`\`\`${name}\n${whole(parts.join("\n\n"))}\n\`\`\``;
  });
  return `{{% examples %}}\n## Example Usage\n{{% example %}}\n\n${blocks.join("\n\n")}\n\n{{% /example %}}\n{{% /examples %}}`;
}

/** Go refuses variables that nothing uses. */
function withoutUnused(code: string): string {
  const names = code.replace(/"[^"\n]*"|\/\/.*/g, "").match(/\w+/g) ?? [];
  return code.replace(/\b(\w+), err := /g, (whole, name: string, at: number) => {
    return names.filter((each) => each === name).length > 1
      ? whole
      : `_, err ${code.slice(0, at).includes("err := ") ? "=" : ":="} `;
  });
}

function indented(code: string, by: string): string {
  return code.replace(/^(?=.)/gm, by);
}
