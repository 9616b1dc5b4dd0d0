import type { StoredKey } from "../recordMap";
import type { StateDatabase } from "./database";

/** The names of all tasks by their ids, without reading the tasks. @param keys of all tasks. */
export function readTaskNames(database: StateDatabase, keys: readonly StoredKey[]): Map<string, string | undefined> {
  const names = allTaskNames(database) ?? keys.map(({ number }) => taskName(database, number));
  const known = (name: unknown) => (typeof name === "string" ? name : undefined);
  return new Map(keys.map(({ key }, index) => [key, known(names[index])]));
}

/** In the order of the tasks; undefined if a damaged task prevents it. */
function allTaskNames(database: StateDatabase): unknown[] | undefined {
  const from = "from tasks left join task_contents using (number) order by number";
  try {
    return database.column(`select coalesce(content -> '$.name', 'null') as item ${from}`);
  } catch {
    return undefined;
  }
}

/** A damaged task has no name: a search finds it by its id, and its use reports the damage. */
function taskName(database: StateDatabase, number: number): unknown {
  try {
    return JSON.parse(String(database.value("select content -> '$.name' from task_contents where number = ?", number)));
  } catch {
    return undefined;
  }
}
