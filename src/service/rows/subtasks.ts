import type { Subtask } from "../contract/types";
import { isRefusedParameter } from "../errors/errors";

/** Gets one page of subtasks; pages start from 1. */
export type FetchSubtasks = (page: number, size: number) => Promise<Subtask[]>;

/** Services of this kind return at most 20 subtasks per page; the smaller sizes are for services that refuse 20. */
const sizes = [20, 10, 5, 1];
/** Longer than any real list. Ends the loop if a service always returns new ids. */
const mostPages = 100_000;

/**
 * Gets all pages, however many subtasks the service returns on one: only an empty page, or one without a new subtask,
 * is the last. A subtask that occurs twice, because the list changed meanwhile, counts once, with its later status.
 */
export async function allSubtasks(fetch: FetchSubtasks): Promise<Subtask[]> {
  for (const [index, size] of sizes.entries()) {
    try {
      return await pagesOf(fetch, size);
    } catch (error) {
      if (!isRefusedParameter(error) || index === sizes.length - 1) throw error;
    }
  }
  return [];
}

async function pagesOf(fetch: FetchSubtasks, size: number): Promise<Subtask[]> {
  const found = new Map<string, Subtask>();
  for (let page = 1; page <= mostPages; page += 1) {
    const subtasks = await fetch(page, size);
    const known = found.size;
    for (const subtask of subtasks) found.set(subtask.subTaskId, subtask);
    if (found.size === known) break;
  }
  return [...found.values()];
}
