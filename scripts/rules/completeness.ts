import { pathOfPage } from "../docs/resourcePage";
import type { Project, Source } from "./project";
import { under } from "./project";

/** Each operation of openapi.yaml has an entry in the contract and a handler in the emulator, and each entry is in openapi.yaml. */
export function operationsAreComplete(project: Project): string[] {
  const documented = matches(project.read("emulator/openapi.yaml"), /^ +operationId: (\w+)/gm);
  const entries = matches(project.read("src/service/contract/operations.ts"), /^ {2}(\w+): operation\b/gm);
  const handlers = project.read("emulator/src/handlers/index.ts");
  return unique([...documented, ...entries]).flatMap((name) => [
    ...(documented.includes(name) ? [] : [`operation ${name} is not in openapi.yaml`]),
    ...(entries.includes(name) ? [] : [`operation ${name} has no entry in src/service/contract/operations.ts`]),
    ...missing(handlers, name, `operation ${name} has no handler in emulator/src/handlers`),
  ]);
}

const inLanguages = "an example in examples/reference, and one in each language of its folder languages";
const regions = "scripts/schema/examples.ts";

/** Each resource is in the list and has a class, tests, golden files of its previews, examples and documentation: one message says all that it lacks. */
export function resourcesAreComplete(project: Project): string[] {
  const list = /export const resources\b[^{]*\{([^}]*)\}/.exec(project.read("src/resources/index.ts") ?? "")?.[1];
  const defined = under(project, "src/resources").flatMap(({ text }) =>
    matches(text, /^export const (\w+): Resource</gm).map((name) => name.charAt(0).toUpperCase() + name.slice(1)),
  );
  const tests = textOf([...under(project, "test/resources"), ...under(project, "test/realEngine")]);
  return unique([...matches(list, /(\w+): \w+/g), ...defined]).flatMap((type) => {
    const page = pathOfPage(type);
    const examples = project.read("examples/reference/index.ts");
    const previews = `test/realEngine/diffs/${type}.txt`;
    const lacking = [
      ...missing(list, type, "a line in the list of src/resources/index.ts"),
      ...missing(project.read("src/program/classes.ts"), `class ${type}`, "a class in src/program/classes.ts"),
      ...missing(tests, `new ${type}`, "a test in test/resources or test/realEngine that declares it"),
      ...missing(project.read(previews), type, `a golden file of its previews, ${previews}`),
      ...missing(project.read(page), type, `a page, ${page}`),
      ...missing(project.read("README.md"), `\\(${escaped(page)}\\)`, "a link to its page in README.md"),
      ...missing(project.read("docs/reference/README.md"), type, "a row in docs/reference/README.md"),
      ...missing(examples, `new ${type}`, inLanguages),
      ...missing(project.read(regions), type, `the regions of its example in ${regions}`),
    ];
    return lacking.length === 0 ? [] : [`resource ${type} needs ${lacking.join("; ")}`];
  });
}

function escaped(path: string): string {
  return path.replaceAll(".", "\\.");
}

/** The version of the engine that `npm run engine` builds is the version of the SDK. It is written in four files. */
export function engineFitsSdk(project: Project): string[] {
  const sdk = matches(project.read("package.json"), /"@pulumi\/pulumi": "(\d+\.\d+\.\d+)"/g)[0];
  const engine = matches(project.read("scripts/engine/engine.ts"), /engineVersion = "([^"]+)"/g)[0];
  const ofModule = (path: string): string | undefined => matches(project.read(path), /pulumi\/pkg\/v3 v(\S+)/g)[0];
  const module = ofModule("scripts/engine/pulumi/go.mod");
  const generator = ofModule("scripts/schema/sdks/go.mod");
  return new Set([sdk, engine, module, generator]).size === 1
    ? []
    : [
        `versions differ: @pulumi/pulumi ${sdk} in package.json, ${engine} in scripts/engine/engine.ts, ${module} in its go.mod, ${generator} in scripts/schema/sdks/go.mod`,
      ];
}

function textOf(sources: readonly Source[]): string {
  return sources.map(({ text }) => text).join("\n");
}

function missing(text: string | undefined, word: string, complaint: string): string[] {
  const found = text !== undefined && new RegExp(`(?<!\\w)${word}(?!\\w)`).test(text);
  return found ? [] : [complaint];
}

function matches(text: string | undefined, pattern: RegExp): string[] {
  return [...(text ?? "").matchAll(pattern)].map((match) => String(match[1]));
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
