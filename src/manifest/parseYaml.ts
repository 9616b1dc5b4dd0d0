import type { ManifestFile, Problems } from "./problems";
import type { Document, YAMLError } from "./yaml";
import { Composer, CST, isScalar, Parser } from "./yaml";

export const mostLevels = 100;

/**
 * The documents of a file that contain anything, by the YAML library. All scalars stay text (the failsafe schema), so
 * that no value changes its type. A file that is not valid YAML becomes a problem and has no documents.
 */
export function parseYaml(file: ManifestFile, problems: Problems): Document[] {
  const tokens = [...new Parser(file.lines.addNewLine).parse(file.text)];
  const deepest = tokens.map(tooDeep).find((token) => token !== undefined);
  if (deepest !== undefined) {
    // The composer is recursive. It must not even begin: at the end of its stack, V8 can stop the whole process.
    const reason = `is nested too deeply: at most ${mostLevels} levels are allowed`;
    problems.add({ file, offset: deepest.offset, path: "" }, reason);
    return [];
  }
  const composer = new Composer({
    schema: "failsafe",
    // The library's own check of keys takes quadratic time.
    uniqueKeys: false,
    resolveKnownTags: false,
    prettyErrors: false,
    logLevel: "silent",
  });
  const documents = [...composer.compose(tokens)];
  // A warning is about a tag, which would have no effect.
  const found = documents.flatMap(({ errors, warnings }) => [...errors, ...warnings]);
  const wrong = [...composer.streamInfo().errors, ...found]
    .filter((error) => !isWrong(error, file.text))
    .sort((one, other) => one.pos[0] - other.pos[0]);
  if (wrong.length === 0) {
    const full = documents.filter(
      ({ contents }) => contents !== null && !(isScalar(contents) && contents.source === ""),
    );
    if (full.length === 0) {
      problems.addFile(file.name, "is empty: declare one task (from: …) or several (tasks: …)");
    }
    return full;
  }
  // After an error of the syntax, the rest of the tree is a guess.
  const first = wrong.find((error) => !isOfTag(error));
  for (const error of wrong.filter((each) => each === first || isOfTag(each))) {
    const offset = Math.min(error.pos[0], file.text.trimEnd().length);
    problems.add({ file, offset, path: "" }, `is not valid YAML: ${explained(error)}`);
  }
  return [];
}

/**
 * The library misses the line break before a comment that stands behind a value of a flow map, at the beginning of a
 * line.
 */
function isWrong({ message, pos: [at] }: YAMLError, text: string): boolean {
  return message.startsWith("Comments must be separated") && text[at - 1] === "\n";
}

function isOfTag({ code }: YAMLError): boolean {
  return code === "TAG_RESOLVE_FAILED";
}

function explained(error: YAMLError): string {
  const { code, message } = error;
  if (isOfTag(error)) {
    return `the only tag is !!str; got ${message.slice(message.indexOf(": ") + 2)}`;
  }
  return code === "BLOCK_AS_IMPLICIT_KEY"
    ? "a map cannot begin inside a value; quote the value, or begin the map on a new line"
    : message.charAt(0).toLowerCase() + message.slice(1);
}

/** A token below the allowed depth, found without going below it. */
function tooDeep(token: CST.Token): CST.Token | undefined {
  let found: CST.Token | undefined;
  if (token.type === "document") {
    CST.visit(token, ({ key, value }, path) => {
      found = path.length > mostLevels ? (key ?? value) : undefined;
      return found && CST.visit.BREAK;
    });
  }
  return found;
}
