import { quoted } from "../../../src/service/errors/foreignText";
import { parsedJson } from "../../../src/service/parsedJson";
import { isPlainMap } from "../../../src/values/plain";
import { usageError } from "../exitCodes";

/** A task to adopt, and what it is to be called. */
export interface WantedTask {
  taskId: string;
  /** Default: the id. */
  name?: string;
  /** A folder for its file. */
  group?: string;
  /** Its account, if it is not the default one. */
  profile?: string;
}

/** `TASK=name`. An id can contain the sign, as one in base64 does: a name follows only the last one. */
export function taskOfArgument(given: string): WantedTask {
  const [, taskId, name] = /^(.+)=([^=]+)$/su.exec(given) ?? [];
  return taskId === undefined ? { taskId: given } : { taskId, name };
}

/**
 * The tasks of a file with one `id[,name[,group]]` on each line, of a CSV with a line of titles, or of a list of JSON.
 * @param file its name, for errors
 * @throws CliError that names the first wrong line
 */
export function tasksOfFile(text: string, file: string): WantedTask[] {
  if (/[\0\uFFFD]/.test(text)) {
    throw usageError(`${file}: is no text in UTF-8. Save a table as CSV in UTF-8. A line is ${form}.`);
  }
  const records = /^\uFEFF?\s*[[{]/.test(text) ? recordsOfJson(text, file) : recordsOf(text);
  const columns = columnsOf(records[0]?.cells ?? []);
  // Words above ids with digits. An id of that form is between quotation marks.
  const [first, ...others] = records;
  const isWord = first !== undefined && !first.isQuoted && /^\p{L}+(?:[\s_-]\p{L}+)*$/u.test(first.cells[0] ?? "");
  if (columns === undefined && isWord && others.length > 0 && others.every(({ cells: [id = ""] }) => /\d/.test(id))) {
    throw usageError(
      `${file}:${first.line}: ${quoted(first.cells[0] ?? "")} seems to be a title, and no known one. ${knownTitles} If it is an id, put it in quotation marks.`,
    );
  }
  const found = (columns === undefined ? records : records.slice(1)).map(({ line, cells, isQuoted }): WantedTask => {
    const { id, name, group } = columns ?? { id: 0, name: 1, group: 2 };
    const taskId = cells[id] ?? "";
    if (taskId === "" || (columns === undefined && cells.length > 3)) {
      throw usageError(`${file}:${line}: must be ${form}.`);
    }
    // An id of that form is between quotation marks.
    if (!isQuoted && /[\s|]|[^\x21-\x7e]/.test(taskId)) {
      throw usageError(
        `${file}:${line}: ${quoted(taskId)} is no id of a task. A line is ${form}, with commas, semicolons or tabs. ${knownTitles}`,
      );
    }
    return { taskId, name: cells[name] || undefined, group: cells[group] || undefined };
  });
  if (found.length === 0) {
    throw usageError(`${file}: names no task. A line is ${form}.`);
  }
  return found;
}

interface Line {
  line: number;
  cells: string[];
  /** Whether its first cell is between quotation marks. */
  isQuoted: boolean;
}

const form = "id, or id,name, or id,name,group";
const knownTitles = "Titles are such as taskId, taskName and taskGroup.";

/** What interfaces of such services call the columns, in English and Chinese, without spaces and case. */
const titles = {
  id: ["taskid", "id", "任务id"],
  name: ["taskname", "name", "task", "任务名称", "任务名", "任务"],
  group: ["taskgroupname", "taskgroup", "groupname", "group", "任务组名称", "任务组"],
};

/** A list of ids, or of objects with the names of titles, as records with a line of titles. The line is the item. */
function recordsOfJson(text: string, file: string): Line[] {
  const list = parsedJson(text);
  const items: Record<string, unknown>[] = Array.isArray(list)
    ? list.map((item) => (isPlainMap(item) ? item : { id: item }))
    : [];
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))];
  if (items.length === 0 || columnsOf(names) === undefined) {
    throw usageError(
      `${file}: is JSON, and no list of ids or of objects with taskId, taskName and taskGroup. Write such a list, or ${form} on each line.`,
    );
  }
  const cells = items.map((item) => names.map((name) => (typeof item[name] === "string" ? item[name] : "")));
  return [names, ...cells].map((each, line) => ({ line, cells: each, isQuoted: true }));
}

/** Where the columns are; undefined if the first line is a task. */
function columnsOf(first: readonly string[]): Record<keyof typeof titles, number> | undefined {
  const given = first.map((cell) => cell.toLowerCase().replace(/[\s_-]/g, ""));
  const place = (of: keyof typeof titles): number =>
    given.indexOf(titles[of].find((title) => given.includes(title)) ?? "\n");
  const id = place("id");
  return id === -1 ? undefined : { id, name: place("name"), group: place("group") };
}

/**
 * The lines of a CSV that are neither blank nor comments. The separator is that of a first line `sep=;`, as Excel has
 * it; otherwise a comma, or the semicolon or tab of the first of them, outside quotation marks. Cells between quotation
 * marks can contain it, and no line break.
 */
function recordsOf(text: string): Line[] {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const [, named] = /^"?sep=([,;\t])"?\s*$/i.exec(lines[0] ?? "") ?? [];
  // The lines keep their numbers.
  if (named !== undefined) lines[0] = "";
  const first = lines.find((each) => /^\s*[^\s#]/.test(each)) ?? "";
  const separator = named ?? /[,;\t]/.exec(first.replace(/"[^"]*"/g, ""))?.[0] ?? ",";
  const cell = new RegExp(`${separator} *(?:"((?:[^"]|"")*)" *|([^${separator}]*))(?=$|${separator})`, "g");
  const records = lines.map((each, index) => ({
    line: index + 1,
    isQuoted: /^\s*"/.test(each),
    cells: [...`${separator}${each}`.matchAll(cell)].map(([, quoted, plain = ""]) =>
      (quoted?.replaceAll('""', '"') ?? plain).trim(),
    ),
  }));
  return records.filter(({ cells }) => cells.some((each) => each !== "") && !cells[0]?.startsWith("#"));
}
