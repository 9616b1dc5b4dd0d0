/**
 * The generated parts of the resources' pages in docs/reference: types and defaults from the descriptions of the arguments, meanings from the doc
 * comments, previews from the golden files of the tests on the engine.
 */
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { ArgSpecs } from "../../src/resources/args";
import type { AnyResource } from "../../src/resources/index";
import type { Shape } from "../../src/values/kinds";
import { repositoryRoot } from "../commands";
import type { DocComments, FieldOf } from "./docComments";
import type { Parts } from "./parts";
import { list } from "./parts";

/** The path of a resource's page, relative to the repository's folder: `docs/reference/task-copy.md` for `TaskCopy`. */
export function pathOfPage(type: string): string {
  return `docs/reference/${type.replace(/(?!^)[A-Z]/g, "-$&").toLowerCase()}.md`;
}

/** The parts of a resource's page. Adds a problem for each argument without a doc comment, or with one that contradicts its description. */
export function partsOfResource(
  { type, idIs, args, outputs, keepsFirstId, secretOutputs = [] }: AnyResource,
  docs: DocComments,
  complaints: string[],
): Parts {
  const { comment, fields } = docs.of(`${type}Args`);
  const [description = "", lifecycle = ""] = comment.split(/^(?=\| step )/m);
  const { fields: outputFields } = docs.of(`${type}State`);
  const derived = Object.keys(args).filter((name) => args[name]?.derived);
  const outputRows = [...derived, ...outputs].flatMap((name): [string, string, string][] => {
    const documented = outputFields(name);
    if (documented === undefined || documented.isInternal) {
      return [];
    }
    const { comment } = documented;
    const isSaid = !secretOutputs.includes(name) || comment.includes("Secret");
    return [[name, "", isSaid ? comment : `${comment} Secret.`]];
  });
  const meaningOfId = keepsFirstId
    ? `The first \`${idIs}\`. It stays when an update changes \`${idIs}\`.`
    : `The same as \`${idIs}\`.`;
  return {
    command: "npm run docs",
    required: {
      description: `${description.trim()}\n\nType token: \`pulumi-nodejs:dynamic/webextract:${type}\``,
      lifecycle,
      arguments: list(rowsOf(argsOfThePage(args), fields, { path: "", type, complaints })),
      outputs: list([["id", "", meaningOfId], ...outputRows]),
    },
    optional: previewsOf(type),
  };
}

/**
 * What `pulumi preview --diff` shows, as parts with the name `preview "CASE"`: the sections of the golden file, without the other resources of the
 * same program.
 */
function previewsOf(type: string): Record<string, string> {
  const file = join(repositoryRoot, "test", "realEngine", "diffs", `${type}.txt`);
  // A project rule names a file that is missing.
  const [, ...sections] = existsSync(file) ? readFileSync(file, "utf8").split(/^## /m) : [];
  return Object.fromEntries(
    sections.map((section) => {
      const [title = "", ...lines] = section.trim().split("\n");
      const shown = lines.filter((line) => line !== "" && !line.startsWith("besides: "));
      return [`preview "${title}"`, `\`\`\`text\n${shown.join("\n")}\n\`\`\``];
    }),
  );
}

interface Place {
  type: string;
  path: string;
  complaints: string[];
}

/** All arguments except `profile`, which docs/reference/README.md describes once. */
function argsOfThePage({ profile, ...others }: ArgSpecs): ArgSpecs {
  return others;
}

/** Each argument that a user writes, and each field within it, unless the page of another resource describes the fields. */
export function rowsOf(
  specs: ArgSpecs,
  fields: FieldOf,
  { type, path, complaints }: Place,
): [name: string, brackets: string, meaning: string][] {
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
    const { defaultTag, seeTag } = documented;
    const comment = documented.comment.replace(saidByTheLifecycle, "");
    if (spec.default !== undefined ? defaultTag !== JSON.stringify(spec.default) : isJson(defaultTag)) {
      complaints.push(
        `${type}.${at}: the description has the default ${JSON.stringify(spec.default)}, the tag @default ${defaultTag}`,
      );
    }
    if (spec.replaces && !documented.comment.includes(replaces)) {
      complaints.push(`${type}.${at}: a change replaces the resource, but the doc comment lacks "${replaces}"`);
    }
    const byDefault = isJson(defaultTag) ? `\`${defaultTag}\`` : defaultTag;
    const brackets = [
      inWords(spec.kind),
      ...(spec.required ? ["required"] : []),
      ...(byDefault === undefined ? [] : [`default ${byDefault}`]),
    ].join("; ");
    if (seeTag !== undefined) {
      const page = basename(pathOfPage(seeTag));
      return [[at, brackets, `${comment} Its fields: [${seeTag}](${page}#arguments).`]];
    }
    const inner =
      spec.kind.is === "map" ? { shape: spec.kind.of, path: `${at}.*.` } : { shape: spec.kind, path: `${at}.` };
    const { shape } = inner;
    return [
      [at, brackets, comment],
      ...(shape.is === "object" ? rowsOf(shape.fields, documented.fields, { type, path: inner.path, complaints }) : []),
    ];
  });
}

const replaces = "A change replaces";

/** What the row `update` of a page's lifecycle says for all arguments. */
const saidByTheLifecycle = / A change (?:exports again|starts no run|makes no call)\.(?= |$)/;

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
      return shape.of.map((word) => `\`${JSON.stringify(word)}\``).join(", ");
    case "number":
      return `${shape.isInteger ? "integer" : "number"}, ${shape.max === undefined ? `at least ${shape.min}` : `from ${shape.min} to ${shape.max}`}`;
    case "list":
      return shape.of.is === "any" ? "list" : `list of ${shape.of.is}s`;
    case "map":
      return `map of ${shape.of.is === "scalar" ? "strings, numbers or booleans" : `${shape.of.is}s`}`;
    default:
      return shape.is;
  }
}
