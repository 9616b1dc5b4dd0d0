import { Document, visit } from "../../../src/manifest/yaml";
import { shownText } from "../../../src/service/errors/foreignText";
import type { Declaration, Value } from "./declaration";
import { SecretVariable } from "./declaration";

/**
 * Writes declarations as a manifest: one task, or several by their names.
 * @param isNameOfFile whether the name of the file is that of its one task
 * @param schema the path of the JSON Schema from the file, for editors; absent if the manifest is not written to a file
 */
export function yamlManifest(tasks: readonly Declaration[], isNameOfFile = false, schema?: string): string {
  const [first] = tasks;
  const one = first && { ...(isNameOfFile ? {} : { name: first.name }), ...first.args };
  const all = { tasks: Object.fromEntries(tasks.map(({ name, args }) => [name, args])) };
  // Readers of YAML 1.1 and of YAML 1.2 must see the same types: strings that either takes for something else are
  // quoted.
  const document = new Document(plain(tasks.length === 1 && one ? one : all), {
    compat: "yaml-1.1",
    aliasDuplicateObjects: false,
  });
  visit(document, {
    Scalar(_key, scalar) {
      const { value } = scalar;
      // The package yaml writes blank lines as a block, which then lose their spaces. An invisible character can be an
      // escape between quotation marks only.
      if (typeof value === "string" && (value.trim() === "" || shownText(value) !== value)) {
        scalar.type = "QUOTE_DOUBLE";
      }
    },
  });
  const comments = tasks.flatMap(({ comments: own, variables }) => [
    ...own,
    // The manifest itself cannot read the configuration, so the program hands the variables over.
    ...variables.flatMap(({ name, reader, remark }) => [
      remark,
      `In the program, add to the variables of the manifest: "${name}": ${reader}`,
    ]),
  ]);
  const lines = [...(schema === undefined ? [] : [`yaml-language-server: $schema=${schema}`]), ...comments];
  document.commentBefore = lines.map((line) => ` ${line}`).join("\n");
  return shownText(document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER }));
}

/** The value with each variable as a manifest names it, and no other text that looks so. */
function plain(value: Value): unknown {
  if (value instanceof SecretVariable) {
    return `\${${value.name}}`;
  }
  if (typeof value === "string") {
    return value.replaceAll("${", () => "$${");
  }
  if (Array.isArray(value)) {
    return value.map(plain);
  }
  return typeof value === "object"
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [plain(name), plain(each)]))
    : value;
}
