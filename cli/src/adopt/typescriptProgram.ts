import { shownText } from "../../../src/service/errors/foreignText";
import type { Declaration, Value } from "./declaration";
import { freeName, SecretVariable } from "./declaration";

/** Writes declarations as a module that exports each task. */
export function typescriptProgram(tasks: readonly Declaration[]): string {
  const taken = new Set<string>();
  const declared = tasks.map(({ name, args, comments, variables }) => {
    const lines = [...comments, ...variables.map(({ remark }) => remark)].map((line) => `// ${line}\n`).join("");
    return `${lines}export const ${variableOf(name, taken)} = new ExtractionTask(${JSON.stringify(name)}, ${printed(args, "")});\n`;
  });
  const hasSecrets = tasks.some(({ variables }) => variables.length > 0);
  const engine = hasSecrets ? 'import * as pulumi from "@pulumi/pulumi";\n' : "";
  const config = hasSecrets ? "const config = new pulumi.Config();\n\n" : "";
  // The strings are JSON, in which an invisible character can be an escape.
  return shownText(`${engine}import { ExtractionTask } from "pulumi-webextract";\n\n${config}${declared.join("\n")}`);
}

function printed(value: Value, indent: string): string {
  if (value instanceof SecretVariable) {
    return value.reader;
  }
  if (typeof value !== "object") {
    return JSON.stringify(value);
  }
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((item) => JSON.stringify(item))
    : Object.entries(value).map(([name, each]) => `${propertyName(name)}: ${printed(each, inner)}`);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join("")}${indent}${close}`;
}

function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** `taskMyShop`, which is no reserved word, and not taken. */
function variableOf(name: string, taken: Set<string>): string {
  const words = name.split(/[^A-Za-z\d]+/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return freeName(`task${words.join("")}`, taken, undefined, "_");
}
