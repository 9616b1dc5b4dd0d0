import { rmSync } from "node:fs";
import { rename } from "node:fs/promises";
import { basename, join } from "node:path";
import pLimit from "p-limit";
import { makePrivateFolder, namesIn, obstacleOf, readPrivateFile, writePrivateFile } from "../system/privateFile";
import type { Processes } from "../system/processes";
import { isTemporary, removeAbandonedFiles } from "../system/temporaryFiles";
import { isRecord } from "../values/plain";
import type { Entry, JournalPlace } from "./journalPlace";
import { isFarFromNow, isMaking, keyOf } from "./journalPlace";

/** A process can have about a thousand open files, and a killed command can leave more entries. */
const fewFiles = pLimit(64);

/** The journal's folder: a file for each entry. Its name begins with the key of the resource. */
export class JournalFiles implements JournalPlace {
  readonly isRemote = false;
  readonly reader = " as this user on this machine";
  /** Why entries cannot be read: by the key of their resource, or of all. */
  private readonly unreadable = new Map<string | "all", string>();

  constructor(
    /** Undefined if the configuration switches the journal off: then the entries end with this process. */
    private readonly folder: string | undefined,
    private readonly processes: Processes,
    /** Shows the same warning once. */
    private readonly warnOnce: (message: string) => void,
    /** Why there is no folder, if the configuration does not switch it off. */
    private readonly missing?: string,
  ) {}

  get areKept(): boolean {
    return this.folder !== undefined;
  }

  get problems(): string[] {
    return this.missing === undefined ? [...this.unreadable.values()] : [this.missing];
  }

  problemOf(urn: string): string | undefined {
    return this.missing ?? this.unreadable.get("all") ?? this.unreadable.get(keyOf(urn));
  }

  async all(): Promise<Entry[]> {
    const { folder } = this;
    if (folder === undefined) {
      return [];
    }
    const entryName = /^[0-9a-f]{32}(?:\.[0-9a-f]{32})?\.json/;
    await removeAbandonedFiles(folder, (name) => entryName.test(name) && isTemporary(name));
    const names = await namesIn(folder).catch(async (error) => {
      const { reason, remedy } = await obstacleOf(folder, error, "readable");
      this.unreadable.set(
        "all",
        `The journal in ${folder} cannot be read ${reason}. It may name a copy or a run that no state holds, so this request was not sent. ` +
          `${remedy} If no command was killed, set webextract:journal to another folder.`,
      );
      return [];
    });
    const ours = names.filter((name) => entryName.exec(name)?.[0] === name);
    return (await Promise.all(ours.map((name) => fewFiles(() => this.read(join(folder, name)))))).flat();
  }

  async isRunning({ process }: Entry): Promise<boolean> {
    return this.processes.isRunning(process);
  }

  async latest(entry: Entry): Promise<Entry | undefined> {
    const [latest] = await this.read(this.path(entry));
    return latest;
  }

  private async read(file: string): Promise<Entry[]> {
    try {
      const text = await readPrivateFile(file);
      if (text === undefined) {
        // Another command has removed the file.
        return [];
      }
      const entry = parse(text);
      if (entry === undefined) return [];
      if (file !== this.path(entry)) {
        // Earlier versions had one file for each operation of a resource. Another command can have renamed it already.
        await rename(file, this.path(entry)).catch(() => undefined);
      }
      // The rows of an old export are not those of today.
      if (entry.operation !== "export" || !isFarFromNow(entry)) {
        return [entry];
      }
      this.remove(entry);
      return [];
    } catch (error) {
      const isCorrupt = error instanceof SyntaxError;
      const reason = isCorrupt ? "(it is corrupt)" : (await obstacleOf(file, error, "readable")).reason;
      this.unreadable.set(
        basename(file).slice(0, basename(file).indexOf(".")),
        `The journal entry ${file} cannot be read ${reason}. It may name a copy or a run that no state holds, ` +
          "so this request was not sent. Make the file readable, or look for that copy or run at the service and delete the file.",
      );
      return [];
    }
  }

  /** A journal that cannot be written does not stop the work. */
  async write(entry: Entry): Promise<void> {
    if (this.folder === undefined && isMaking(entry)) {
      this.warnOnce("webextract:journal is off: a copy or a run of a killed command may be made a second time.");
    }
    const { what } = (await this.writeProblem(entry)) ?? {};
    if (what !== undefined) {
      const next = "Set webextract:journal to a folder that can be written, or to off.";
      this.warnOnce(`${what}: if this run is killed, the next one may copy or start a second time. ${next}`);
    }
  }

  async writeProblem(entry: Entry): Promise<{ what: string; remedy: string } | undefined> {
    const { folder } = this;
    if (folder === undefined) {
      return undefined;
    }
    try {
      await makePrivateFolder(folder);
      // Not durable: the engine's own state does not survive a power cut either, and two waits for the disk take longer
      // than a copy.
      await writePrivateFile(this.path(entry), `${JSON.stringify(entry)}\n`, false);
      return undefined;
    } catch (error) {
      const { reason, remedy } = await obstacleOf(folder, error, "writable");
      return { what: `The journal in ${folder} cannot be written ${reason}`, remedy };
    }
  }

  remove(entry: Entry): void {
    if (this.folder === undefined) {
      return;
    }
    try {
      rmSync(this.path(entry), { force: true });
    } catch {
      // The next command that sees the resource removes it.
    }
  }

  path({ urn, salt }: Entry): string {
    return join(this.folder ?? "", `${keyOf(urn)}.${salt}.json`);
  }
}

/** Undefined for the file of a token store. @throws SyntaxError if something has damaged the entry, or a later version has written it */
function parse(text: string): Entry | undefined {
  const entry: Entry | null = JSON.parse(text);
  if (entry !== null && "families" in entry) return undefined;
  if (entry?.version !== 1 || !isWhole(entry)) {
    throw new SyntaxError("no entry of this version");
  }
  return entry;
}

function isWhole({ salt, time, detail, process, account = "", id = "", ...entry }: Entry): boolean {
  const { operation, urn, origin, profile, what, inputs } = entry;
  const words = [operation, urn, origin, profile, what, inputs, account, id];
  const isDated = typeof time === "number" && !Number.isNaN(new Date(time).getTime());
  const isNamed = /^[0-9a-f]{32}$/.test(salt) && words.every((each) => typeof each === "string");
  return isDated && isNamed && isRecord(detail) && isRecord(process) && typeof process.pid === "number";
}
