import { Readable } from "node:stream";
import type { UploadSource } from "../../service/contract/types";
import type { ArgsSpec, Form } from "../args";
import { lines, systemString } from "../args";
import type { CheckContext, Context } from "../resource";
import { readChecked } from "./allowedFile";
import type { GivenList } from "./checkList";
import { checkList } from "./checkList";
import { digestOf, splitLines, textsOfFile } from "./lines";

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

export const startUrlsSpec: ArgsSpec<StartUrlsArgs, "count" | "sha256" | "hosts"> = {
  urls: { kind: lines },
  file: { kind: systemString },
  count: { derived: true },
  sha256: { derived: true },
  hosts: { derived: true },
};

export function givenStartUrls(args: object, at: string): GivenList {
  return { args, list: "urls", file: "file", urls: true, at };
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
export async function startUrlsUpload(
  taskId: string,
  { urls = "", file: name, sha256 }: StartUrls,
  context: Context,
): Promise<() => Promise<unknown>> {
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
