import { CliError } from "../exitCodes";

/** A task to adopt, and what it is to be called. */
export interface WantedTask {
  taskId: string;
  /** Default: a name that the service shows, otherwise the id. */
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
 * The tasks of a file with one `id[,name[,group]]` on each line, or of a CSV with a line of titles.
 * @param file its name, for errors
 * @throws CliError with all problems of the file
 */
export function tasksOfFile(text: string, file: string): WantedTask[] {
  const records = recordsOf(text);
  const columns = columnsOf(records[0]?.cells ?? []);
  const problems: string[] = [];
  const found = new Map<string, WantedTask>();
  for (const { line, cells } of columns === undefined ? records : records.slice(1)) {
    const { id, name, group } = columns ?? { id: 0, name: 1, group: 2 };
    const task: WantedTask = {
      taskId: cells[id] ?? "",
      name: cells[name] || undefined,
      group: cells[group] || undefined,
    };
    const other = found.get(task.taskId);
    if (task.taskId === "") {
      problems.push(`${file}:${line}: has no id.`);
    } else if (columns === undefined && cells.length > 3) {
      problems.push(`${file}:${line}: has ${cells.length} values. A line is id, or id,name, or id,name,group.`);
    } else if (other !== undefined && (other.name !== task.name || other.group !== task.group)) {
      problems.push(`${file}:${line}: names the task "${task.taskId}" again, with another name or group.`);
    }
    found.set(task.taskId, task);
  }
  if (problems.length === 0 && found.size === 0) {
    problems.push(`${file}: names no task. A line is id, or id,name, or id,name,group.`);
  }
  if (problems.length > 0) {
    const more = problems.length > mostProblems ? [`… and ${problems.length - mostProblems} more.`] : [];
    throw new CliError(`${[...problems.slice(0, mostProblems), ...more].join("\n")}\nNo request was sent.`, "usage");
  }
  return [...found.values()];
}

const mostProblems = 10;

/** What interfaces of such services call the columns, without spaces and case. */
const titles = {
  id: ["taskid", "id"],
  name: ["taskname", "name", "task"],
  group: ["taskgroupname", "taskgroup", "groupname", "group"],
};

/** Where the columns are; undefined if the first line is a task. */
function columnsOf(first: readonly string[]): Record<keyof typeof titles, number> | undefined {
  const given = first.map((cell) => cell.toLowerCase().replace(/[\s_-]/g, ""));
  const place = (of: keyof typeof titles): number =>
    given.indexOf(titles[of].find((title) => given.includes(title)) ?? "\n");
  const id = place("id");
  return id === -1 ? undefined : { id, name: place("name"), group: place("group") };
}

interface CsvRecord {
  line: number;
  cells: string[];
}

/** The lines of a CSV (RFC 4180) that are neither blank nor comments. The separator is a comma, or the semicolon or tab of the first line. */
function recordsOf(text: string): CsvRecord[] {
  const whole = text.replace(/^\uFEFF/, "");
  const separator = /^[^\r\n]*?([,;\t])/.exec(whole)?.[1] ?? ",";
  const cell = new RegExp(`"((?:[^"]|"")*)"|([^${separator}\\r\\n]*)`, "y");
  const records: CsvRecord[] = [];
  let cells: string[] = [];
  let line = 1;
  let begin = 1;
  for (let at = 0; at <= whole.length; ) {
    cell.lastIndex = at;
    const [given = "", quoted, plain = ""] = cell.exec(whole) ?? [];
    cells.push((quoted?.replaceAll('""', '"') ?? plain).trim());
    line += given.split("\n").length - 1;
    at += given.length;
    // Text between a quotation mark and the next separator belongs to no cell.
    while (at < whole.length && whole[at] !== separator && whole[at] !== "\n") {
      at++;
    }
    if (whole[at] !== separator) {
      if (cells.some((each) => each !== "") && !cells[0]?.startsWith("#")) {
        records.push({ line: begin, cells });
      }
      cells = [];
      line++;
      begin = line;
    }
    at++;
  }
  return records;
}
