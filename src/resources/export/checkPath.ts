import { lstat, stat } from "node:fs/promises";
import { basename, join, resolve, sep } from "node:path";
import { DiskDestination } from "../../rows/destinations/diskDestination";
import { exists, isFolder } from "../../rows/destinations/diskFile";
import { isSameFile } from "../../rows/destinations/fileIdentity";
import { compressionEnding, compressions } from "../../rows/formats/compression";
import { formats, misleadingFormat } from "../../rows/formats/formats";
import { commandPlaceholders, fixedFolder, namesFor, onlyName, placeholders } from "../../rows/outputPath";
import { quoted } from "../../service/errors/foreignText";
import { hideSecrets } from "../../service/errors/secretShapes";
import { bucketTitle, isStoreAddress, remotePathProblem, withKey } from "../../store/storeAddress";
import { storeOf } from "../../store/storeOf";
import type { Problem } from "../../values/kinds";
import { entryOf, holdsUnknown } from "../../values/plain";
import { describeShellPart, shellPartOf } from "../../values/shellPart";
import { backslashHint } from "../lists/allowedFile";
import type { CheckContext, ServiceTraits } from "../resource";
import type { DataExportArgs } from "./model";
import { marksPages } from "./model";
import { pathOfRows } from "./rowFile";

/** Problems of the path and of the command that can be seen without the disk. */
export function checkPath({ path, pipe, lotNo, markExported, ...args }: DataExportArgs, problems: Problem[]): void {
  const parts = Array.isArray(pipe) ? pipe.map((part: unknown, index) => [`pipe[${index}]`, part] as const) : [];
  const users = [["path", path] as const, ...parts].flatMap(([name, text]) =>
    typeof text === "string" && text.includes("{lotNo}") ? [name] : [],
  );
  if (lotNo === undefined) {
    const reason = 'contains "{lotNo}", which needs scope "batch"';
    problems.push(...users.map((name) => ({ path: name, reason })));
  }
  // The service chooses the lotNo. It must not choose the folder of a file, or what a command reads as a path.
  if (users.length > 0 && typeof lotNo === "string" && (!/^[\w.-]+$/.test(lotNo) || /^\.{1,2}$/.test(lotNo))) {
    const reason = `is ${quoted(lotNo)}, which cannot replace {lotNo}: only letters of ASCII, digits, "_", "-" and "." are allowed, and neither "." nor ".."`;
    problems.push({ path: "lotNo", reason });
  }
  problems.push(...commandProblems(parts));
  // Other parts can be for a shell that the program starts.
  const ofShell = typeof pipe?.[0] === "string" ? shellPartOf(pipe[0]) : undefined;
  if (ofShell !== undefined) {
    problems.push({ path: "pipe[0]", reason: `is ${describeShellPart(ofShell)}`, stored: ["pipe[0]"] });
  }
  if (typeof path !== "string") {
    return;
  }
  const found: { reason: string | undefined; stored?: string[] }[] = [
    { reason: remotePathProblem(path) },
    { reason: placeholderProblem(path), stored: ["path"] },
    {
      reason:
        markExported === true && !placeholders.some((each) => path.includes(each))
          ? "must contain {lotNo}, {time} or {n} with markExported: a file of marked rows is never overwritten"
          : undefined,
    },
    { reason: endingProblem(path, args), stored: ["path", "format", "compression"] },
  ];
  problems.push(
    ...found.flatMap(({ reason, ...each }) => (reason === undefined ? [] : { path: "path", reason, ...each })),
  );
}

/** Each of them has the name of a placeholder in another form: of other languages, misspelled, or with a brace too many. */
const almost = [
  /[<:$%]?\{{1,2}\s{0,2}(lotNo|time|n)\b\s{0,2}\}{0,2}/i,
  /[<:$%](lotNo|time|n)\b[>%]?/i,
  /[[(](lotNo)[\])]/i,
  /(lotNo)\}/i,
];

function placeholderProblem(path: string): string | undefined {
  // The placeholders themselves, if nothing around them makes another form of them.
  const rest = path.replace(/(?<![<:$%{])\{(?:lotNo|time|n)\}(?!\})/g, "-");
  const [other] = /\{[^{}]*\}/.exec(rest) ?? [];
  return almostIn(rest, almost, placeholders) ?? (other && `contains "${other}"; ${known(placeholders)}`);
}

/** In a command other braces can belong to a language of its own, and `$lotNo` can be a variable that it defines. */
const almostInCommand = [
  /[<:$%]?\{{1,2}\s{0,2}(lotNo|file)\s{0,2}\}{1,2}/i,
  /[<:$%]?\{{1,2}(lotNo|file)(?=$|[./_"'-])/i,
];
const variableInCommand = /[<:$%](lotNo)\b[>%]?/i;
const definition = /(?<![<:$%\w])lotNo\b/i;

function commandProblems(parts: readonly (readonly [path: string, part: unknown])[]): Problem[] {
  const texts = parts.map(([path, part]) => ({
    path,
    text: typeof part === "string" ? part.replace(/(?<![<:$%{])\{(?:lotNo|file)\}(?!\})/g, "-") : "",
  }));
  const isDefined = parts.some(([, part]) => typeof part === "string" && definition.test(part));
  const forms = isDefined ? almostInCommand : [...almostInCommand, variableInCommand];
  return texts.flatMap(({ path, text }) => {
    const reason = almostIn(text, forms, commandPlaceholders);
    return reason === undefined ? [] : [{ path, reason, stored: [path] }];
  });
}

const known = (allowed: readonly string[]): string => `known placeholders are ${allowed.join(", ")}`;

/** Why a text is refused: it has the name of a placeholder in one of these forms, which are none. */
function almostIn(text: string, forms: readonly RegExp[], allowed: readonly string[]): string | undefined {
  for (const form of forms) {
    const [found, name = ""] = form.exec(text) ?? [];
    if (found !== undefined) {
      const right = allowed.find((each) => each.toLowerCase() === `{${name.toLowerCase()}}`);
      return `contains "${found}", which is no placeholder: write ${right}; ${known(allowed)}`;
    }
  }
  return undefined;
}

/** Programs tell by its name how a file is compressed, and refuse or misread one with another name. */
function endingProblem(
  path: string,
  { format = "ndjson", compression = "none" }: Pick<DataExportArgs, "format" | "compression">,
): string | undefined {
  if (holdsUnknown([path, format, compression])) {
    return undefined;
  }
  const compressesItself = entryOf(formats, format)?.compressesItself !== undefined;
  const needed = compressesItself ? undefined : entryOf(compressions, compression)?.extension;
  const found = compressionEnding(path);
  if (found === needed) {
    return undefined;
  }
  const rule = needed === undefined ? `must not end in "${found}"` : `must end in "${needed}"`;
  return `${rule} with format "${format}" and compression "${compression}"`;
}

/** Problems of the path that depend on this machine. An up would find them only after the runs that it starts. */
export async function checkPlace(args: DataExportArgs, context: CheckContext): Promise<void> {
  const { path, lotNo, taskId } = args;
  if (typeof path !== "string" || path === "" || isStoreAddress(path)) {
    return;
  }
  const { previous, folder, problems } = context;
  const full = resolve(folder, path);
  const isPossible = await stat(resolve(folder, fixedFolder(path))).then(
    (found) => found.isDirectory(),
    (error: NodeJS.ErrnoException) => error.code !== "ENOTDIR",
  );
  if (!isPossible || path.endsWith("/") || path.endsWith(sep) || (await isFolder(full))) {
    const reason = `leads to "${full}", which is a folder or is behind a file: name a file such as "rows/all.ndjson"`;
    problems.push({ path: "path", reason });
    return;
  }
  const length = await excessiveLength(args, context);
  if (length !== undefined) {
    const reason = `has a file name that is too long for this disk, with what its temporary file adds: ${length} bytes. Use a shorter one`;
    problems.push({ path: "path", reason });
    return;
  }
  const name = onlyName(path, lotNo);
  const before = previous && onlyName(previous.path, previous.lotNo);
  const isOwn = before !== undefined && name !== undefined && isSameFile(folder, before, name);
  // An existing file can contain these rows, if the export that wrote it was killed. It cannot contain rows of a run or
  // a task that does not exist yet.
  if (name !== undefined && !isOwn && holdsUnknown([taskId, lotNo]) && (await exists(resolve(folder, name)))) {
    problems.push({
      path: "path",
      reason: `names a file that exists, "${resolve(folder, name)}", and that this export did not write: add {n} or {time} to the path, move the file away, or use another path`,
    });
  }
}

/** The length of the longest file name of an export, if the disk does not allow it. */
async function excessiveLength(args: DataExportArgs, { folder, settings }: CheckContext): Promise<number | undefined> {
  const { path, lotNo = "" } = args;
  // As long as the contract's own.
  const [name = path] = namesFor(path, holdsUnknown(lotNo) ? "0".repeat(18) : lotNo);
  const work = new DiskDestination(path, folder).workPath(name);
  const longest = basename(pathOfRows(work, args, marksPages(args, settings)));
  return await lstat(join(folder, longest)).then(
    () => undefined,
    ({ code }: NodeJS.ErrnoException) => (code === "ENAMETOOLONG" ? Buffer.byteLength(longest) : undefined),
  );
}

const looks = new WeakMap<ServiceTraits, Map<string, Promise<boolean>>>();

/**
 * Looks once for each bucket whether it exists, where the rows are those of a task or a run that an up will make: the
 * export would find out after that run. No error, because the same up can create the bucket.
 */
export async function checkBucket({ path, taskId, lotNo }: DataExportArgs, context: CheckContext): Promise<void> {
  const { settings, warn } = context;
  if (!isStoreAddress(path) || warn === undefined || !holdsUnknown([taskId, lotNo]) || context.problems.length > 0) {
    return;
  }
  const bucket = withKey(path, "");
  const known = looks.get(settings) ?? new Map<string, Promise<boolean>>();
  looks.set(settings, known);
  const look = known.get(bucket) ?? storeOf(path, context).isMissing();
  known.set(bucket, look);
  if (await look) {
    warn(
      `The ${bucketTitle(path)} does not exist. The export would fail after the run. Create it, unless this program does so before the export, or use another path.`,
    );
  }
}

/** What is allowed and hardly meant: a name of another system or format, and secrets. */
export function doubtsOfPath({ path, pipe, format = "ndjson" }: Partial<DataExportArgs>): Problem[] {
  const doubts: Problem[] = [];
  const hint = typeof path === "string" ? backslashHint(path) : undefined;
  if (hint !== undefined) {
    doubts.push({ path: "path", reason: hint });
  }
  const other = typeof path !== "string" || holdsUnknown(format) ? undefined : misleadingFormat(path, format);
  if (other !== undefined) {
    const reason = `ends like ${other}, and the rows are written as ${format}: set format "${other}", or use another name`;
    doubts.push({ path: "path", reason });
  }
  // The state stores both in plain text. A secret has a place of its own: the SDK of a store finds credentials, and a command
  // of `pipe` can read its environment.
  for (const [name, parts] of Object.entries({ path: [path], pipe: [pipe].flat() })) {
    const text = parts.filter((part: unknown) => typeof part === "string").join(" ");
    if (hideSecrets(text) !== text) {
      doubts.push({ path: name, reason: "seems to contain a secret, which the state would store in plain text" });
    }
  }
  return doubts;
}
