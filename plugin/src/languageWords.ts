import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectFolder } from "../../src/config/projectFolder";
import type { ArgSpecs } from "../../src/resources/args";
import type { Shape } from "../../src/values/kinds";
import { entryOf } from "../../src/values/plain";
import { ownSchema } from "./schemaText";

type Named = (name: string) => string;

/** How the SDK of a language writes the name of a property. Other languages have the names of the schema. */
const namedIn: Readonly<Record<string, Named>> = {
  // A keyword gets an underscore.
  python: (name) =>
    /^(?:for|from)$/.test(name) ? `${name}_` : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  go: (name) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
};

/** A quoted value, or what can be a name alone, as after "did you mean": no path, key of the configuration or call. */
const tokens = /(?<!did you mean )"(?!\? )[^"]*"?|[\w:/$-]+\(?/g;

/** Names of one word that no sentence has. */
const single = /(?<=\bcsv\.)for\b|^from(?= )|(?<![\w.])from(?=\.\w)/g;

let known: ((text: string) => string) | undefined;

/**
 * A message with the names of properties as the program writes them: `wait_for` in Python, `WaitFor` in Go. The engine
 * does not tell a plugin the language of the program, but the project's file does.
 */
export function inLanguage(text: string): string {
  known ??= wordsOf(runtimeOfProject());
  return known(text);
}

/** As in the project's file, such as `nodejs`; "" if it does not say it. */
export function runtimeOfProject(): string {
  try {
    const project = readFileSync(join(projectFolder() ?? ".", "Pulumi.yaml"), "utf8");
    return /^runtime:\s*(?:name:\s*)?["']?(\w+)/m.exec(project)?.[1] ?? "";
  } catch {
    return "";
  }
}

/** @param runtime as in the project's file */
export function wordsOf(runtime: string): (text: string) => string {
  const named = entryOf(namedIn, runtime);
  if (named === undefined) return (text) => text;
  const properties = new Set(JSON.stringify(ownSchema()).match(/(?<=")[a-z0-9]+[A-Z]\w*(?=":\{)/g));
  // The compiler of Go finds each wrong name but those in a map, which has the names of the schema.
  const isAsGiven = (text: string): boolean => runtime === "go" && text.startsWith("is not a valid name");
  return (text) =>
    isAsGiven(text)
      ? text
      : text.replace(tokens, (each) => (properties.has(each) ? named(each) : each)).replace(single, named);
}

/** The path of a property of these fields. The keys of a map are the user's own. */
export function pathInLanguage(path: string, fields: ArgSpecs, runtime = runtimeOfProject()): string {
  const named = entryOf(namedIn, runtime) ?? ((name) => name);
  let shape: Shape | undefined = { is: "object", fields };
  return path.replace(/[^.[\]]+/g, (step) => {
    if (shape?.is !== "object") {
      shape = shape?.is === "map" || shape?.is === "list" ? shape.of : undefined;
      return step;
    }
    shape = entryOf(shape.fields, step)?.kind;
    return shape === undefined ? step : named(step);
  });
}
