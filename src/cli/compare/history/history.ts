import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, sep } from "node:path";
import { globIn } from "../../../manifest/manifestFiles";
import { bucketAndKey, isS3Path, s3Path } from "../../../resources/export/destinations/s3/s3Path";
import { writtenAs } from "../../../resources/export/formats/formats";
import { CliError } from "../../exitCodes";
import { byName } from "../../output/table";
import type { FilledShares } from "../report";
import type { LoadOptions } from "../sides/loadSide";
import { loadSides } from "../sides/loadSide";
import type { Side } from "../sides/side";
import { sideOf } from "../sides/side";
import { bucketOf } from "../sides/sideRows";

export interface FileFigures {
  readonly name: string;
  readonly rows: number;
  readonly filled: FilledShares;
  readonly notes: readonly string[];
}

/**
 * Reads one file after the other, in the order of the arguments. The files of a glob or of an S3 prefix come in the
 * order of their names, in which `rows-2` stands before `rows-10`. The database has the rows of one at a time.
 * @throws CliError for a glob or a prefix without files
 */
export async function readHistory(given: readonly string[], options: LoadOptions): Promise<FileFigures[]> {
  const sides: Side[] = [];
  for (const each of given) {
    sides.push(...(await namesIn(each, options)).map(sideOf));
  }
  const files: FileFigures[] = [];
  for (const side of sides) {
    const { name, rows, fields, notes } = (await loadSides({ head: side }, options)).head;
    await options.database.rows("DROP TABLE head");
    const filled = [...fields].map(([field, of]): [string, number] => [field, rows === 0 ? 0 : of.filled / rows]);
    files.push({ name, rows, filled: new Map(filled), notes });
  }
  return files;
}

async function namesIn(given: string, options: LoadOptions): Promise<string[]> {
  if (isS3Path(given)) {
    return writtenAs(given) !== undefined ? [given] : inOrder(await namesOfPrefix(given, options), given);
  }
  const glob = existsSync(given) ? undefined : globIn(given.split(sep).join("/"));
  if (glob === undefined) {
    return [given];
  }
  const folder = glob.folder === "" ? "." : glob.folder;
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw new CliError(`"${folder}" cannot be read (${error.code}). No rows were read.`, "usage");
  });
  const found = names.filter((name) => glob.matches(name)).map((name) => (folder === "." ? name : join(folder, name)));
  return inOrder(found, given);
}

async function namesOfPrefix(prefix: string, options: LoadOptions): Promise<string[]> {
  const { bucket, key } = bucketAndKey(prefix);
  // An object of any name checks the name of the bucket.
  const found = await bucketOf(s3Path(bucket, "rows"), prefix, options);
  return (await found.keys(key)).map((each) => s3Path(bucket, each));
}

function inOrder(names: readonly string[], given: string): string[] {
  const files = names
    .filter((name) => writtenAs(name) !== undefined)
    .sort((one, other) => byName(one, other) || (one < other ? -1 : 1));
  if (files.length === 0) {
    throw new CliError(
      `"${given}" matches no file of rows. A glob has * and ? in the last part of its path, and a prefix begins with s3://. No rows were read.`,
      "usage",
    );
  }
  return files;
}
