import { ManifestFile } from "../../../src/manifest/problems";
import type { DeclaredTask, NameAt } from "../../../src/manifest/readManifests";

/** A file before and after a rename. If the name of the task is the name of the file, the file gets another name. */
export interface RenamedFile {
  before: ManifestFile;
  after: ManifestFile;
}

/** The form of a manifest does not allow the change. The message says what to write. */
export class CannotRename extends Error {}

/** A text in place of what stands between two offsets. */
interface Edit {
  from: number;
  to: number;
  text: string;
}

/**
 * Gives a task another name, and notes the earlier one in `was`, so that the engine does not take it for a new task.
 * Everything else in the files stays as it is written. The caller checks the result.
 * @param manifests without problems
 * @throws CannotRename
 */
export function renameTask(
  { tasks }: { tasks: readonly DeclaredTask[] },
  task: DeclaredTask,
  name: string,
): RenamedFile[] {
  const { at, name: old } = task;
  const isNameOfFile = at.path === "";
  const references = tasks.flatMap(({ run }) => run?.references ?? []).filter((each) => each.name === old);
  const edits = new Map([[at.file, [noteEarlier(task, name)]]]);
  for (const each of isNameOfFile ? references : [{ name: old, at }, ...references]) {
    const edit = replaceName(each, name);
    const known = edits.get(each.at.file) ?? [];
    // Several aliases of one value have one place.
    edits.set(each.at.file, known.some(({ from, to }) => to > from && from === edit.from) ? known : [...known, edit]);
  }
  return [...edits].map(([before, found]) => {
    const newName = isNameOfFile && before === at.file ? pathWithName(before.name, name) : before.name;
    return { before, after: new ManifestFile(newName, applied(before.text, found)) };
  });
}

/** The path with another name before the ending. */
function pathWithName(path: string, name: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1) + name + path.slice(path.lastIndexOf("."));
}

/** @throws CannotRename if the name is not written in one line, or has a variable */
function replaceName({ name: old, at: { file, offset } }: NameAt, name: string): Edit {
  const found = [old, JSON.stringify(old), `'${old}'`].find((each) => file.text.startsWith(each, offset));
  if (found === undefined) {
    const { line, col } = file.lines.linePos(offset);
    throw new CannotRename(`${file.name}:${line}:${col}: the name is not written as "${old}" there.`);
  }
  return { from: offset, to: offset + found.length, text: written(name) };
}

/** @throws CannotRename if the task has no map, or no list of earlier names, of its own */
function noteEarlier({ at: { file }, name: old, was, map, wasList }: DeclaredTask, name: string): Edit {
  const { text } = file;
  const all = [...was.filter((each) => each !== name), old];
  const list = `[${all.map(written).join(", ")}]`;
  if (map === undefined) {
    throw new CannotRename(
      `${file.name}: the task has no map of its own to note its earlier name in. Give it one with "was: ${list}".`,
    );
  }
  if (was.length === 0) {
    return inserted(text, map, `was: ${list}`);
  }
  if (wasList === undefined) {
    throw new CannotRename(`${file.name}: was is not a list there. Write "was: ${list}".`);
  }
  if (!was.includes(name)) {
    return inserted(text, wasList, wasList.isFlow ? written(old) : `- ${written(old)}`);
  }
  const from = text.lastIndexOf(":", wasList.from) + 1;
  return { from, to: from + text.slice(from, wasList.to).trimEnd().length, text: ` ${list}` };
}

/** One more entry at the beginning of a map or a list. */
function inserted(text: string, { from, isFlow }: NonNullable<DeclaredTask["map"]>, entry: string): Edit {
  if (isFlow) {
    const first = from + 1 + text.slice(from + 1).search(/\S/);
    return { from: first, to: first, text: `${entry}, ` };
  }
  const indent = " ".repeat(from - (text.lastIndexOf("\n", from - 1) + 1));
  return { from, to: from, text: `${entry}${text.includes("\r\n") ? "\r\n" : "\n"}${indent}` };
}

/** A name as a scalar of any place. */
function written(name: string): string {
  const isPlain = /^[A-Za-z\d][\w.-]*$/.test(name) && !/^null$/i.test(name);
  return isPlain ? name : JSON.stringify(name.replaceAll("${", () => "$${"));
}

function applied(text: string, edits: readonly Edit[]): string {
  return [...edits]
    .sort((one, other) => other.from - one.from || other.to - one.to)
    .reduce((before, { from, to, text: by }) => before.slice(0, from) + by + before.slice(to), text);
}
