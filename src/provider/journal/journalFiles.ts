import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { rename } from "node:fs/promises";
import { basename, join } from "node:path";
import pLimit from "p-limit";
import type { OnceOperation } from "../../resources/task/requestJournal";
import { makePrivateFolder, namesIn, obstacleOf, readPrivateFile, writePrivateFile } from "../../system/privateFile";
import type { ProcessName } from "../../system/processes";
import { isTemporary, removeAbandonedFiles } from "../../system/temporaryFiles";
import { isRecord } from "../../values/plain";
import { urnAs } from "../../values/urn";

/** What identifies a resource in the journal. */
export interface ResourceName {
  /** Empty if the engine's request does not contain it. */
  urn: string;
  /** The address of its service. Earlier versions wrote it without the path. */
  origin: string;
  /** Empty for the credentials of the top level. */
  profile: string;
  /** The credentials of its account. */
  credentials: string;
}

/** One request that must not be sent twice. Contains no secret: only ids, and salted hashes. */
export interface Entry extends Omit<ResourceName, "credentials"> {
  version: 1;
  operation: OnceOperation;
  what: string;
  /** When it was sent: milliseconds since 1970. */
  time: number;
  salt: string;
  /** The hash of the credentials. Earlier versions wrote none. */
  account?: string;
  inputs: string;
  /** The id of what the request made; undefined before its response, and for an append. */
  id?: string;
  detail: Record<string, unknown>;
  /** The process that sent it. */
  process: ProcessName;
}

/** How far from now an entry can be to count, in milliseconds. */
const countsFor = 30 * 24 * 3600 * 1000;

/** Whether the entry is old, or the clock was wrong. */
export function isFarFromNow({ time }: Entry): boolean {
  return Math.abs(Date.now() - time) > countsFor;
}

/**
 * The same for a dynamic resource and a native one, so that a resource that moves to the other kind finds its entries.
 */
export function keyOf(urn: string): string {
  return createHash("sha256").update(urnAs(urn, "dynamic")).digest("hex").slice(0, 32);
}

/** A process can have about a thousand open files, and a killed command can leave more entries. */
const fewFiles = pLimit(64);

/** Where the journal is kept. */
export interface JournalPlace {
  readonly areKept: boolean;
  /** Who finds the entries: the end of a sentence. */
  readonly reader: string;
  /** Why nothing may be sent for a resource: an entry of it may not have been read. */
  problemOf(urn: string): string | undefined;
  /** All entries that can be read without the URN. */
  all(): Promise<Entry[]>;
  /** The names of further entries that concern a resource, or what has this id. */
  concerned?(urn: string, id: string): string[];
  /** The entries behind such a name. */
  open?(name: string, urn: string, id: string): Promise<Entry[]>;
  /** Whether the process of an entry is running. Absent: as the system shows it. */
  isRunning?(entry: Entry): Promise<boolean>;
  /** The entry as it is now. Undefined if it was removed. */
  latest(entry: Entry): Promise<Entry | undefined>;
  write(entry: Entry): Promise<void>;
  /** Writes an entry, which needs the same permissions as to delete it. Returns why it cannot be, and what to do. */
  writeProblem(entry: Entry): Promise<{ what: string; remedy: string } | undefined>;
  /** Synchronous, because it is called at the end of the process too. */
  remove(entry: Entry): void;
  /** Its name for messages. */
  path(entry: Entry): string;
  /** Before the process ends. */
  close?(): Promise<void>;
}

/** The journal's folder: a file for each entry. Its name begins with the key of the resource. */
export class JournalFiles implements JournalPlace {
  readonly reader = " as this user on this machine";
  /** Why entries cannot be read: by the key of their resource, or of all. */
  private readonly unreadable = new Map<string | "all", string>();

  constructor(
    /** Undefined if the configuration switches the journal off: then the entries end with this process. */
    private readonly folder: string | undefined,
    /** Shows the same warning once. */
    private readonly warnOnce: (message: string) => void,
    /** Why there is no folder, if the configuration does not switch it off. */
    private readonly missing?: string,
  ) {}

  get areKept(): boolean {
    return this.folder !== undefined;
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
        `The journal in ${folder} cannot be read ${reason}. It may name a copy or a run that no state holds, so no request was sent. ` +
          `${remedy} If no command was killed, set webextract:journal to another folder.`,
      );
      return [];
    });
    const ours = names.filter((name) => entryName.exec(name)?.[0] === name);
    return (await Promise.all(ours.map((name) => fewFiles(() => this.read(join(folder, name)))))).flat();
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
          "so no request was sent. Make the file readable, or look for that copy or run at the service and delete the file.",
      );
      return [];
    }
  }

  /** A journal that cannot be written does not stop the work. */
  async write(entry: Entry): Promise<void> {
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

/** @throws SyntaxError if something has damaged the entry, or a later version has written it */
function parse(text: string): Entry {
  const entry: Entry | null = JSON.parse(text);
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
