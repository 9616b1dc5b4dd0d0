import { Document, Pair, Scalar, YAMLMap, YAMLSeq } from "../../manifest/yaml";
import { shownText } from "../../service/errors/foreignText";
import type { Declared, Field, Fields, Value } from "./declaration";
import { headOf, isFields, SecretVariable } from "./declaration";

export interface ManifestOptions {
  /** Whether the name of the file is that of its one task. */
  isNameOfFile?: boolean;
  /** The path of the JSON Schema from the file, for editors. Absent if the manifest is not written to a file. */
  schema?: string;
}

/** Writes declarations as a manifest: one task, or several by their names. */
export function yamlManifest(
  tasks: readonly Declared[],
  { isNameOfFile = false, schema }: ManifestOptions = {},
): string {
  const [first] = tasks;
  if (first === undefined) {
    return "";
  }
  // Readers of YAML 1.1 and of YAML 1.2 must see the same types: strings that either takes for something else are quoted.
  const document = new Document(undefined, { compat: "yaml-1.1" });
  document.contents = tasks.length === 1 ? mapOf(isNameOfFile ? first.fields : named(first)) : collection(tasks);
  // A comment of the whole document stands apart from the values.
  if (tasks.length === 1) {
    document.comment = document.contents.comment ?? null;
    document.contents.comment = null;
  }
  document.commentBefore = [
    ...(schema === undefined ? [] : [` yaml-language-server: $schema=${schema}`]),
    ...tasks.map((task) => ` ${headOf(task)}`),
  ].join("\n");
  return shownText(document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER }));
}

function named({ name, fields }: Declared): Fields {
  return { ...fields, fields: [{ name: "name", value: name }, ...fields.fields] };
}

function collection(tasks: readonly Declared[]): YAMLMap {
  const fields = tasks.map(({ name, fields }) => ({ name, value: fields }));
  return mapOf({ fields: [{ name: "tasks", value: { fields } }] });
}

function mapOf({ fields, after = [] }: Fields): YAMLMap {
  const map = new YAMLMap();
  map.items = fields.map(pairOf);
  map.comment = commentOf(after);
  return map;
}

function pairOf({ name, value, comments = [] }: Field): Pair {
  const key = scalarOf(name);
  const setting = value instanceof SecretVariable ? commentsOf(value) : [];
  key.commentBefore = commentOf([...comments, ...setting]);
  return new Pair(key, nodeOf(value));
}

/** The manifest itself cannot read the configuration, so the program hands the variable over. */
function commentsOf(variable: SecretVariable): string[] {
  return [
    `The variable ${variable.name} is a secret. Set it with: ${variable.command}`,
    `In the program, add to the variables of the manifest: "${variable.name}": ${variable.reader}`,
  ];
}

function nodeOf(value: Value): YAMLMap | YAMLSeq | Scalar {
  if (value instanceof SecretVariable) {
    return new Scalar(`\${${value.name}}`);
  }
  if (typeof value === "object" && !isFields(value)) {
    const list = new YAMLSeq();
    list.items = value.map(scalarOf);
    return list;
  }
  return isFields(value) ? mapOf(value) : scalarOf(value);
}

function scalarOf(value: string | number | boolean): Scalar {
  if (typeof value !== "string") {
    return new Scalar(value);
  }
  // Otherwise a manifest would take it for a variable.
  const scalar = new Scalar(value.replaceAll("${", () => "$${"));
  // The package yaml writes blank lines as a block, which then lose their spaces. An invisible character can be an escape between quotation marks only.
  if (value.trim() === "" || shownText(value) !== value) {
    scalar.type = "QUOTE_DOUBLE";
  }
  return scalar;
}

function commentOf(comments: readonly string[]): string | null {
  return comments.length === 0 ? null : comments.map((each) => ` ${each}`).join("\n");
}
