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

/** Each resource is in the list and has a class, tests, golden files of its previews, and documentation. */
export function resourcesAreComplete(project: Project): string[] {
  const list = /export const resources\b[^{]*\{([^}]*)\}/.exec(project.read("src/resources/index.ts") ?? "")?.[1];
  const types = matches(list, /(\w+): \w+/g);
  const classes = project.read("src/program/classes.ts");
  const tests = textOf([...under(project, "test/resources"), ...under(project, "test/realEngine")]);
  const documentation = project.read("README.md") ?? "";
  const previews = (type: string): string => `test/realEngine/diffs/${type}.txt`;
  return [
    ...resourcesOutsideOf(project, list ?? ""),
    ...types.flatMap((type) => [
      ...missing(classes, `class ${type}`, `resource ${type} has no class in src/program/classes.ts`),
      ...missing(tests, `new ${type}`, `no test in test/realEngine declares resource ${type}`),
      ...missing(project.read(previews(type)), type, `resource ${type} has no golden file ${previews(type)}`),
      ...missing(
        documentation,
        `\\(${pathOfPage(type).replace(".", "\\.")}\\)`,
        `resource ${type} has no link to ${pathOfPage(type)} in README.md`,
      ),
    ]),
  ];
}

/** Definitions that are missing from the list. */
function resourcesOutsideOf(project: Project, list: string): string[] {
  return under(project, "src/resources").flatMap(({ path, text }) =>
    matches(text, /^export const (\w+): Resource</gm).flatMap((name) =>
      missing(list, name, `resource ${name} of ${path} is not in the list of src/resources/index.ts`),
    ),
  );
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
