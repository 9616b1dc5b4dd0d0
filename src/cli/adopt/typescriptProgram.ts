import { shownText } from "../../service/errors/foreignText";
import type { Declared, Field, Value } from "./declaration";
import { comment, headOf, isFields, SecretVariable } from "./declaration";

/** Writes declarations as a module that exports each task. */
export function typescriptProgram(tasks: readonly Declared[]): string {
  const taken = new Set<string>();
  const declared = tasks.map((task) => {
    const { name, fields } = task;
    const { after = [], fields: own } = fields;
    const variable = variableOf(name, taken);
    const comments = [headOf(task), ...after.map(comment)].map((each) => `// ${each}\n`);
    const args = printed({ fields: own }, "");
    return `${comments.join("")}export const ${variable} = new ExtractionTask(${JSON.stringify(name)}, ${args});\n`;
  });
  const hasSecrets = tasks.some(({ fields }) => holdsSecret(fields));
  const engine = hasSecrets ? 'import * as pulumi from "@pulumi/pulumi";\n' : "";
  const config = hasSecrets ? "const config = new pulumi.Config();\n\n" : "";
  // The strings are JSON, in which an invisible character can be an escape.
  return shownText(`${engine}import { ExtractionTask } from "pulumi-webextract";\n\n${config}${declared.join("\n")}`);
}

function holdsSecret(value: Value): boolean {
  return value instanceof SecretVariable || (isFields(value) && value.fields.some((field) => holdsSecret(field.value)));
}

function printed(value: Value, indent: string): string {
  if (value instanceof SecretVariable) {
    return value.reader;
  }
  if (typeof value !== "object") {
    return JSON.stringify(value);
  }
  const inner = `${indent}  `;
  const parts = isFields(value)
    ? value.fields.map((field) => printedField(field, inner))
    : value.map((item) => JSON.stringify(item));
  const [open, close] = isFields(value) ? ["{", "}"] : ["[", "]"];
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join("")}${indent}${close}`;
}

function printedField({ name, value, comments = [] }: Field, indent: string): string {
  const setting = value instanceof SecretVariable ? [`Set it with: ${value.command}`] : [];
  const lines = [...comments, ...setting].map((each) => `// ${each}\n${indent}`);
  const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
  return `${lines.join("")}${key}: ${printed(value, indent)}`;
}

/** `taskMyShop`, which is no reserved word, and not taken. */
function variableOf(name: string, taken: Set<string>): string {
  const words = name.split(/[^A-Za-z\d]+/);
  const wanted = `task${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")}`;
  let variable = wanted;
  for (let count = 2; taken.has(variable); count++) {
    variable = `${wanted}_${count}`;
  }
  taken.add(variable);
  return variable;
}
