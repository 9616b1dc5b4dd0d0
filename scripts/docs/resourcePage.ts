/**
 * Writes docs/resources.md: types and defaults from the descriptions of the arguments, meanings from the doc comments of the interfaces
 * of arguments and states.
 */
import { join } from "node:path";
import ts from "typescript";
import type { ArgSpecs, Shape } from "../../src/resources/args";
import type { AnyResource } from "../../src/resources/index";
import { resources } from "../../src/resources/index";
import { repositoryRoot } from "../commands";

export interface ResourcePage {
  text: string;
  /** Where a doc comment is missing or contradicts the description. */
  complaints: string[];
}

/** The page for these resources, by default all. */
export function resourcePage(of: readonly AnyResource[] = Object.values(resources)): ResourcePage {
  const entry = join(repositoryRoot, "src", "resources", "index.ts");
  const { options } = ts.parseJsonConfigFileContent({ extends: "./tsconfig.json" }, ts.sys, repositoryRoot);
  const program = ts.createProgram([entry], options);
  const page: ResourcePage = { text: head, complaints: [] };
  for (const { type, args, outputs, secretOutputs = [] } of of) {
    const { comment, fields } = documentationOf(`${type}Args`, program);
    const rows = rowsOf(args, fields, { path: "", type, complaints: page.complaints });
    const derived = Object.keys(args).filter((name) => args[name]?.derived);
    const { fields: outputFields } = documentationOf(`${type}State`, program);
    const outputRows = [...derived, ...outputs].flatMap((name) => {
      const documented = outputFields(name);
      const meaning = documented?.comment + (secretOutputs.includes(name) ? " Secret." : "");
      return documented === undefined || documented.isInternal ? [] : [`| \`${name}\` | ${meaning} |`];
    });
    page.text += `\n## ${type}\n\n${comment}\n\n| argument | type | default | meaning |\n|---|---|---|---|\n${rows.join("\n")}\n`;
    page.text += outputRows.length === 0 ? "" : `\n| output | meaning |\n|---|---|\n${outputRows.join("\n")}\n`;
  }
  return page;
}

const head = `# Resources

The requests, arguments and outputs of every resource. \`npm run docs\` writes this page from the code.

- Each argument also accepts an output of another resource, and each resource has its arguments as outputs too.
- In the column "default", "required" means that the argument must be given. Where the cell is empty, nothing takes the place of an argument
  that is not given.
- \`*\` in a path stands for a key that you choose or that the service defines, such as an action id.
`;

interface Documented {
  comment: string;
  /** Has the tag `@internal`: state that is of no use to a program. */
  isInternal: boolean;
  /** Of the tag `@default`. */
  defaultTag: string | undefined;
  /** The fields of the value, or of the entries where the value is a map. */
  fields: FieldOf;
}

type FieldOf = (name: string) => Documented | undefined;

/** The interface's doc comment, and those of its fields. */
function documentationOf(name: string, program: ts.Program): { comment: string; fields: FieldOf } {
  const checker = program.getTypeChecker();
  for (const source of program.getSourceFiles().filter(({ isDeclarationFile }) => !isDeclarationFile)) {
    for (const statement of source.statements) {
      if (ts.isInterfaceDeclaration(statement) && statement.name.text === name) {
        const type = checker.getTypeAtLocation(statement);
        return { comment: commentOf(type.getSymbol(), checker), fields: fieldsOf(type, checker) };
      }
    }
  }
  throw new Error(`No file of src/resources declares ${name}.`);
}

function commentOf(symbol: ts.Symbol | undefined, checker: ts.TypeChecker): string {
  return ts.displayPartsToString(symbol?.getDocumentationComment(checker));
}

function fieldsOf(type: ts.Type, checker: ts.TypeChecker): FieldOf {
  return (name) => {
    const symbol = type.getProperty(name);
    if (symbol === undefined) {
      return undefined;
    }
    const tags = symbol.getJsDocTags(checker);
    const tag = tags.find((each) => each.name === "default");
    const fieldType = checker.getNonNullableType(checker.getTypeOfSymbol(symbol));
    return {
      comment: commentOf(symbol, checker).replace(/\s+/g, " "),
      isInternal: tags.some((each) => each.name === "internal"),
      defaultTag: tag === undefined ? undefined : ts.displayPartsToString(tag.text),
      fields: fieldsOf(checker.getIndexTypeOfType(fieldType, ts.IndexKind.String) ?? fieldType, checker),
    };
  };
}

interface Place {
  type: string;
  path: string;
  complaints: string[];
}

/** A row for each argument that a user writes, and for each field within it. */
function rowsOf(specs: ArgSpecs, fields: FieldOf, { type, path, complaints }: Place): string[] {
  return Object.entries(specs).flatMap(([name, spec]) => {
    if (spec.kind === undefined) {
      return [];
    }
    const at = path + name;
    const documented = fields(name);
    if (documented === undefined || documented.comment === "") {
      complaints.push(`${type}.${at} has no doc comment`);
      return [];
    }
    const { comment, defaultTag } = documented;
    if (spec.default !== undefined ? defaultTag !== JSON.stringify(spec.default) : isJson(defaultTag)) {
      complaints.push(
        `${type}.${at}: the description has the default ${JSON.stringify(spec.default)}, the tag @default ${defaultTag}`,
      );
    }
    if (spec.replaces && !comment.includes(replaces)) {
      complaints.push(`${type}.${at}: a change replaces the resource, but the doc comment lacks "${replaces}"`);
    }
    const byDefault = spec.required ? "required" : isJson(defaultTag) ? `\`${defaultTag}\`` : (defaultTag ?? "");
    const cells = [`\`${at}\``, inWords(spec.kind), byDefault, comment];
    const row = `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
    const inner =
      spec.kind.is === "map" ? { shape: spec.kind.of, path: `${at}.*.` } : { shape: spec.kind, path: `${at}.` };
    const { shape } = inner;
    return [
      row,
      ...(shape.is === "object" ? rowsOf(shape.fields, documented.fields, { type, path: inner.path, complaints }) : []),
    ];
  });
}

const replaces = "A change replaces";

function isJson(value: string | undefined): boolean {
  try {
    return value !== undefined && JSON.parse(value) !== undefined;
  } catch {
    return false;
  }
}

function inWords(shape: Shape): string {
  switch (shape.is) {
    case "any":
      return "any value";
    case "choice":
      return shape.of.map((word) => `\`"${word}"\``).join(" or ");
    case "number":
      return `${shape.isInteger ? "integer" : "number"}, at least ${shape.min}`;
    case "list":
      return `list of ${shape.of.is}s`;
    case "map":
      return `map of ${shape.of.is === "scalar" ? "strings, numbers or booleans" : `${shape.of.is}s`}`;
    default:
      return shape.is;
  }
}
