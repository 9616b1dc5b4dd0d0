import type { ManifestFile, Problems } from "../problems";
import type { Document, YAMLError } from "../yaml";
import { Composer, CST, isScalar, Parser } from "../yaml";
import type { Finding } from "./slips";
import { slipsIn, syntaxProblem } from "./slips";

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
  for (const token of tokens) {
    token.type === "document" && problems.addSlips(file, slipsIn(token, file.text));
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
    const { offset, reason } = isOfTag(error) ? problemOfTag(error) : syntaxProblem(error, tokens, file.text);
    const at = (isOfTag(error) ? undefined : problems.slipBefore(file, error.pos[0])) ?? offset;
    problems.add({ file, offset: Math.min(at, file.text.trimEnd().length), path: "" }, `is not valid YAML: ${reason}`);
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

function problemOfTag({ message, pos: [offset] }: YAMLError): Finding {
  return { offset, reason: `the only tag is !!str; got ${message.slice(message.indexOf(": ") + 2)}` };
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
