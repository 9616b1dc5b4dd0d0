import { Readable } from "node:stream";
import type { UploadSource } from "../../service/http/uploadSource";
import { lines, string } from "../args";
import type { CheckContext, Context, Created, PendingState, ProfileArgs, Resource } from "../resource";
import { writeTask } from "../task/taskWrite";
import type { CheckedFile } from "./checkedFile";
import { readChecked } from "./checkedFile";
import { digestOfFile, normalisedContent } from "./lines";
import { checkList, itemsOf } from "./listArgs";

/**
 * The URLs at which a task starts, uploaded as a file. Needs an API key, and a Professional or Enterprise plan.
 *
 * | step | call |
 * |---|---|
 * | create | `POST /task/urls:file`, streamed |
 * | read | none: the service has no call that shows them, so the last upload counts |
 * | update | `POST /task/urls:file` when the list changed |
 * | delete | none: the list stays, and a warning says so |
 */
export interface TaskStartUrlsArgs extends ProfileArgs {
  /** The task; pass the `id` of a TaskCopy. A change replaces. */
  taskId: string;
  /** http and https URLs. A diff shows the lines that were added and removed. Either this or `file`. */
  urls?: string[];
  /** A file with a URL a line (UTF-8; blank lines are skipped), relative to the program's folder. A diff shows that it changed. */
  file?: string;
}

/** Start URLs as `check` leaves them. */
export interface StartUrls {
  /** The URLs, one a line. */
  urls?: string;
  file?: string;
  /** Number of URLs. */
  count: number;
  /** SHA-256 of the URLs, each followed by a line feed, in hex. */
  sha256: string;
  /** The distinct hosts, at most 20. For reviewers and policies. */
  hosts: string[];
}

export interface TaskStartUrlsState extends Omit<TaskStartUrlsArgs, "urls">, StartUrls, PendingState {}

type CheckedArgs = Omit<TaskStartUrlsState, "pending">;

export const taskStartUrls: Resource<TaskStartUrlsArgs, TaskStartUrlsState, CheckedArgs, "count" | "sha256" | "hosts"> =
  {
    type: "TaskStartUrls",
    idIs: "taskId",
    provides: "settings",
    args: {
      taskId: { kind: string, required: true, replaces: true },
      urls: { kind: lines },
      file: { kind: string },
      profile: { kind: string, option: true },
      count: { derived: true },
      sha256: { derived: true },
      hosts: { derived: true },
    },
    outputs: [],

    decides: () => ["the start URLs"],

    async check(args: TaskStartUrlsArgs, context: CheckContext): Promise<CheckedArgs> {
      return { ...args, ...(await checkStartUrls({ ...args }, "", context.previous, context)) } as CheckedArgs;
    },

    async create(args: CheckedArgs, context: Context): Promise<Created<TaskStartUrlsState>> {
      return { id: args.taskId, state: await upload(args, context) };
    },

    async update(
      _id: string,
      state: TaskStartUrlsState,
      args: CheckedArgs,
      context: Context,
    ): Promise<TaskStartUrlsState> {
      return state.sha256 === args.sha256 && !state.pending?.length ? args : upload(args, context);
    },

    async delete(_id: string, state: TaskStartUrlsState, context: Context): Promise<void> {
      warnOfStartUrls(state.taskId, state, context);
    },
  };

/** Says that a list stays that is no longer declared. */
export function warnOfStartUrls(taskId: string, { count }: StartUrls, context: Context): void {
  context.warn(`Task "${taskId}" keeps its ${count} start URLs: the service has no call that removes them.`);
}

async function upload(args: CheckedArgs, context: Context): Promise<TaskStartUrlsState> {
  const state: TaskStartUrlsState = args;
  await writeTask({ state }, await startUrlsUpload(args.taskId, args, context), context);
  return state;
}

/**
 * The upload, ready to be sent. Refuses a file that is no longer the one that was previewed before anything is sent. `at` is the path of the object that
 * names it, with a dot at the end.
 */
export async function startUrlsUpload(
  taskId: string,
  list: StartUrls,
  context: Context,
  at = "",
): Promise<() => Promise<unknown>> {
  const { file: name, sha256 } = list;
  const file =
    name === undefined ? fromList(list) : await fromFile({ name, sha256, argument: `${at}file`, taskId }, context);
  return () => context.client.updateTaskUrls({ taskId, file });
}

/**
 * Normalises a list of start URLs, or a file with one. `at` is the path of the object that holds it, with a dot at the end; `before` is that object as it
 * was checked last time.
 */
export async function checkStartUrls(
  args: Readonly<Record<string, unknown>>,
  at: string,
  before: CheckContext["previous"],
  context: CheckContext,
): Promise<Partial<StartUrls>> {
  const list = await checkList(args, { list: "urls", file: "file", urls: true, at, before }, context);
  const { text: urls, count, sha256, hosts } = list ?? {};
  return { urls, count, sha256, hosts } as Partial<StartUrls>;
}

function fromList(args: StartUrls): UploadSource {
  const content = Buffer.from(
    itemsOf(args.urls ?? "")
      .map((url) => `${url}\n`)
      .join(""),
  );
  return { name: "urls.txt", size: content.length, sha256: args.sha256, open: () => Readable.from([content]) };
}

/** The file as a stream. */
function fromFile(file: CheckedFile, context: Context): Promise<UploadSource> {
  return readChecked(file, context, async (path) => {
    const { sha256, bytes } = await digestOfFile(path);
    const content = { name: "urls.txt", size: bytes, sha256, open: () => normalisedContent(path) };
    return { sha256, content };
  });
}
