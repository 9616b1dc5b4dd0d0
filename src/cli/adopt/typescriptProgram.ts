import { shownText } from "../../service/errors/foreignText";
import type { Declared, Field, Value } from "./declaration";
import { comment, headOf, isFields, SecretVariable } from "./declaration";

/** Writes declarations as a module that exports each task. */
export function typescriptProgram(tasks: readonly Declared[]): string {
  const taken = new Set(["ExtractionTask", "config", "pulumi"]);
  const declared = tasks.map((task) => {
    const { name, fields } = task;
    const { after = [], fields: own } = fields;
    const variable = identifierOf(name, taken);
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

const widest = 100;

function printed(value: Value, indent: string): string {
  if (typeof value !== "object") {
    return JSON.stringify(value);
  }
  if (value instanceof SecretVariable) {
    return value.reader;
  }
  const inner = `${indent}  `;
  if (!isFields(value)) {
    const items = value.map((item) => JSON.stringify(item));
    return wrapped("[", items, "]", items.join(", ").length + indent.length > widest, inner);
  }
  const fields = value.fields.map((field) => printedField(field, inner));
  const isLong =
    value.fields.some(({ comments = [], value: each }) => comments.length > 0 || each instanceof SecretVariable) ||
    fields.some((field) => field.includes("\n")) ||
    fields.join(", ").length + indent.length > widest;
  return wrapped("{", fields, "}", isLong, inner);
}

function wrapped(open: string, parts: readonly string[], close: string, isLong: boolean, inner: string): string {
  if (!isLong) {
    return open === "{" ? `{ ${parts.join(", ")} }` : `${open}${parts.join(", ")}${close}`;
  }
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join("")}${inner.slice(2)}${close}`;
}

function printedField({ name, value, comments = [] }: Field, indent: string): string {
  const setting = value instanceof SecretVariable ? [`Set it with: ${value.command}`] : [];
  const lines = [...comments, ...setting].map((each) => `// ${each}\n${indent}`);
  return `${lines.join("")}${keyOf(name)}: ${printed(value, indent)}`;
}

function keyOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** A name for a variable: camelCase, not a reserved word, and not taken. */
function identifierOf(name: string, taken: Set<string>): string {
  const words = name.split(/[^A-Za-z\d]+/).filter((word) => word !== "");
  const joined = words
    .map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join("");
  const wanted = /^[A-Za-z]/.test(joined) && !isReserved(joined) ? joined : `task${joined}`;
  let variable = wanted;
  for (let count = 2; taken.has(variable); count++) {
    variable = `${wanted}${count}`;
  }
  taken.add(variable);
  return variable;
}

function isReserved(word: string): boolean {
  return reserved.has(word);
}

const reserved = new Set(
  (
    "await break case catch class const continue debugger default delete do else enum export extends false finally for function if implements import in " +
    "instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield " +
    "arguments eval undefined module exports require"
  ).split(" "),
);
