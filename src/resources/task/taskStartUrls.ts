import { Readable } from "node:stream";
import type { UploadSource } from "../../service/contract/types";
import { filePath, id, lines, string } from "../../values/kinds";
import type { ArgsSpec, Form } from "../args";
import { readChecked } from "../lists/allowedFile";
import type { GivenList } from "../lists/checkList";
import { checkList } from "../lists/checkList";
import { digestOf, splitLines, textsOfFile } from "../lists/lines";
import type { CheckContext, Context, PendingState, ProfileArgs, Resource } from "../resource";
import { writeTask } from "./taskWrite";

/** Start URLs: one of the two fields. */
export interface StartUrlsArgs {
  /** http and https URLs. A diff shows the lines that were added and removed. Either this or `file`. */
  urls?: string[];
  /**
   * A file with one URL on each line (UTF-8; blank lines are skipped), relative to the program's folder. A diff shows
   * that the file changed.
   */
  file?: string;
}

/** Arguments with the URLs as a list. */
export type UrlListForm<Args extends StartUrlsArgs> = Form<Args, "urls", "file">;
/** Arguments with the URLs in a file. */
export type UrlFileForm<Args extends StartUrlsArgs> = Form<Args, "file", "urls">;
export type StartUrlsForm = UrlListForm<StartUrlsArgs> | UrlFileForm<StartUrlsArgs>;

/** Start URLs after `check`. */
export interface StartUrls {
  /** The URLs, one on each line. */
  urls?: string;
  file?: string;
  /** Number of URLs. */
  count: number;
  /** SHA-256 of the URLs, each followed by a line feed, in hex. */
  sha256: string;
  /** The distinct hosts, at most 20. For reviewers and policies. */
  hosts: string[];
}

type Derived = "count" | "sha256" | "hosts";

export const startUrlsSpec: ArgsSpec<StartUrlsArgs, Derived> = {
  urls: { kind: lines },
  file: { kind: filePath },
  count: { derived: true },
  sha256: { derived: true },
  hosts: { derived: true },
};

/**
 * The URLs at which a task starts, uploaded as a file. Needs an API key, and a Professional or Enterprise plan.
 *
 * | step | call |
 * |---|---|
 * | create | `POST /task/urls:file`, streamed, even if the task has the same URLs: the API does not show them. The first of a command reads one row before |
 * | read | none: the API has no call that shows the URLs, so the state keeps those of the last upload |
 * | update | `POST /task/urls:file` if the list changed |
 * | delete | none: the list stays, and a warning says so |
 */
export interface TaskStartUrlsArgs extends StartUrlsArgs, ProfileArgs {
  /** The task. Pass the `id` of a TaskCopy. A change replaces. */
  taskId: string;
}

export interface TaskStartUrlsState extends Omit<TaskStartUrlsArgs, "urls">, StartUrls, PendingState {}

export type CheckedTaskStartUrlsArgs = Omit<TaskStartUrlsState, "pending">;

export const taskStartUrls: Resource<TaskStartUrlsArgs, TaskStartUrlsState, CheckedTaskStartUrlsArgs, Derived> = {
  type: "TaskStartUrls",
  idIs: "taskId",
  args: {
    taskId: { kind: id, required: true, replaces: true },
    ...startUrlsSpec,
    profile: { kind: string, option: true },
  },
  outputs: [],

  manages: () => [{ part: "startUrls" }],

  check(given, context) {
    return { ...given, ...checkStartUrls(given, "", context.previous, context) } as CheckedTaskStartUrlsArgs;
  },

  async create(checked, context) {
    return { id: checked.taskId, state: await upload(checked, context, true) };
  },

  async update(_id, state, checked, context) {
    return state.sha256 === checked.sha256 && !state.pending?.length ? checked : upload(checked, context);
  },

  async delete(_id, state, context) {
    warnOfStartUrls(state.taskId, state, context);
  },
};

async function upload(state: TaskStartUrlsState, context: Context, isNew = false): Promise<TaskStartUrlsState> {
  const send = startUrlsUpload(state.taskId, state, context);
  if (isNew) await context.client.requirePath(state.taskId);
  await context.tasks.exclusive(state.taskId, () => writeTask({ state }, send, context));
  return state;
}

export function givenStartUrls(args: object, at: string): GivenList {
  return { args, list: "urls", file: "file", urls: "all", at };
}

/**
 * Checks and normalizes start URLs. `at` is the path of `args`, with a dot at the end; `before` is `args` as it was
 * checked last time.
 */
export function checkStartUrls(
  args: StartUrlsArgs,
  at: string,
  before: CheckContext["previous"],
  context: CheckContext,
): Partial<StartUrls> {
  const { joined: urls, count, sha256, hosts } = checkList(givenStartUrls(args, at), before, context) ?? {};
  return { urls, count, sha256, hosts } as Partial<StartUrls>;
}

/** The upload, ready to be sent. Refuses a file that changed after the preview. */
export function startUrlsUpload(
  taskId: string,
  { urls = "", file: name, sha256 }: StartUrls,
  context: Context,
): () => Promise<unknown> {
  const source =
    name === undefined
      ? sourceOf(() => splitLines(urls))
      : readChecked({ name, sha256, taskId }, context, (path) => sourceOf(() => textsOfFile(path)));
  return () => context.client.updateTaskUrls({ taskId, file: source });
}

/** The lines as they are sent, in constant memory. */
function sourceOf(lines: () => Iterable<string>): UploadSource & { sha256: string } {
  const { bytes: size, sha256 } = digestOf(lines());
  function* content(): Generator<string> {
    for (const line of lines()) {
      yield `${line}\n`;
    }
  }
  return { name: "urls.txt", size, sha256, open: () => Readable.from(content(), { objectMode: false }) };
}

/** Warns that a list which is no longer declared stays at the service. */
export function warnOfStartUrls(taskId: string, { count }: StartUrls, context: Context): void {
  context.warn(`Task "${taskId}" keeps its ${count} start URLs: the API has no call that removes them.`);
}
