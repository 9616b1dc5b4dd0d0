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
 * The tasks of a file with one `id[,name[,group]]` on each line, or of a CSV with a line of titles.
 * @param file its name, for errors
 * @throws CliError that names the first wrong line
 */
export function tasksOfFile(text: string, file: string): WantedTask[] {
  const records = recordsOf(text);
  const columns = columnsOf(records[0]?.cells ?? []);
  const found = (columns === undefined ? records : records.slice(1)).map(({ line, cells }): WantedTask => {
    const { id, name, group } = columns ?? { id: 0, name: 1, group: 2 };
    const taskId = cells[id] ?? "";
    if (taskId === "" || (columns === undefined && cells.length > 3)) {
      throw usageError(`${file}:${line}: must be ${form}.`);
    }
    return { taskId, name: cells[name] || undefined, group: cells[group] || undefined };
  });
  if (found.length === 0) {
    throw usageError(`${file}: names no task. A line is ${form}.`);
  }
  return found;
}

const form = "id, or id,name, or id,name,group";

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

/**
 * The lines of a CSV that are neither blank nor comments. The separator is a comma, or the semicolon or tab of the
 * first of them, outside quotation marks. Cells between quotation marks can contain it, and no line break.
 */
function recordsOf(text: string): { line: number; cells: string[] }[] {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const first = lines.find((each) => /^\s*[^\s#]/.test(each)) ?? "";
  const separator = /[,;\t]/.exec(first.replace(/"[^"]*"/g, ""))?.[0] ?? ",";
  const cell = new RegExp(`${separator} *(?:"((?:[^"]|"")*)" *|([^${separator}]*))(?=$|${separator})`, "g");
  const records = lines.map((each, index) => ({
    line: index + 1,
    cells: [...`${separator}${each}`.matchAll(cell)].map(([, quoted, plain = ""]) =>
      (quoted?.replaceAll('""', '"') ?? plain).trim(),
    ),
  }));
  return records.filter(({ cells }) => cells.some((each) => each !== "") && !cells[0]?.startsWith("#"));
}
