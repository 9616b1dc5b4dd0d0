import { basename } from "node:path";
import type { House, Source } from "./source";
import { codeOf, under } from "./source";

const maxLines = 400;

/** Where the environment may be read. Everything else is told. */
const readsEnvironment = ["src/config.ts", "src/service/environment.ts"];

/** Where a refusal of the service is understood. Everything else asks for its kind. */
const knowsStatusCodes = ["src/service/errors/errors.ts", "src/service/errors/failures.ts"];

/** The environment is read in one place of each part, so that a value has one meaning and one documented name. */
export function environmentStaysInConfig(house: House): string[] {
  return under(house, "src")
    .filter(({ path }) => !readsEnvironment.some((allowed) => path.startsWith(allowed)))
    .filter((source) => /\bprocess\s*\.\s*env\b|\bprocess\s*\[\s*["']env["']/.test(codeOf(source)))
    .map(({ path }) => `${path} reads process.env; only ${readsEnvironment.join(", ")} may`);
}

/** A status code outside of its one place is a second, diverging idea of what it means. 400 and 500 are left out: they are often amounts. */
export function statusCodesStayInErrors(house: House): string[] {
  return ["src/service", "src/resources", "src/pulumi", "src/manifest"]
    .flatMap((folder) => under(house, folder))
    .filter(({ path }) => !knowsStatusCodes.includes(path))
    .flatMap((source) => {
      const code = codeOf(source).match(
        /(?<![\w.])(?:401|403|404|409|429|502|503|504)(?![\w.])(?=\s*[);,:\]}&|])/,
      )?.[0];
      return code === undefined ? [] : [`${source.path} knows status ${code}; only ${knowsStatusCodes.join(", ")} may`];
    });
}

/** A file that one can take in. Nobody reads a generated one. */
export function filesStaySmall(house: House): string[] {
  return [...under(house, "src"), ...under(house, "emulator/src")]
    .filter(({ text }) => !text.includes("This file was auto-generated"))
    .map(({ path, text }) => ({ path, lines: text.trimEnd().split("\n").length }))
    .filter(({ lines }) => lines > maxLines)
    .map(({ path, lines }) => `${path} has ${lines} lines; split it, ${maxLines} are the limit`);
}

/** What is not done is not there. */
export function nothingIsLeftForLater(house: House): string[] {
  return findLines(house.sources, /\b(?:TO[D]O|FIX[M]E)\b/, "says that something is left to do");
}

/** No test is left out, and none leaves the others out. */
export function everyTestRuns(house: House): string[] {
  const tests = house.sources.filter(({ path }) => path.endsWith(".test.ts"));
  return findLines(
    tests,
    /\b(?:describe|context|it|specify)\s*\.\s*(?:only|skip)\b|\b(?:xdescribe|xit|xspecify)\s*\(/,
    "leaves tests out",
  );
}

/** A file is named for what is in it. */
export function filesHaveNames(house: House): string[] {
  return house.sources.flatMap(({ path }) => {
    const name = basename(path).replace(/(\.slow)?(\.test)?(\.d)?\.ts$/, "");
    if (/^(utils?|helpers?|common|misc|shared)$/i.test(name)) {
      return [`${path}: a name that fits everything explains nothing`];
    }
    return /^[a-z][a-zA-Z0-9]*$/.test(name) ? [] : [`${path}: file names are camelCase`];
  });
}

function findLines(sources: readonly Source[], pattern: RegExp, complaint: string): string[] {
  return sources.flatMap(({ path, text }) =>
    text
      .split("\n")
      .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1} ${complaint}: ${line.trim()}`] : [])),
  );
}
