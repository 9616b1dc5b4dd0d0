import type { ProviderConfig } from "../config/config";
import { SharedStore } from "../store/sharedStore";
import { isStoreAddress } from "../store/storeAddress";
import type { Processes } from "../system/processes";
import { messageOf } from "../values/errors";
import { JournalFiles } from "./journalFiles";
import type { JournalPlace } from "./journalPlace";
import { JournalStore } from "./journalStore";

/** What a journal uses of the process that opens it. */
export interface JournalUser {
  /** The program's folder. */
  readonly folder: string;
  readonly processes: Processes;
  /** Shows the same warning once. */
  warnOnce(message: string): void;
  /** Aborted when the user interrupts the command. */
  readonly interrupted: AbortSignal;
}

/** The journal of a configuration. Makes no request. One that cannot be used lets nothing be sent. */
export function openJournal(
  { journal, noJournal, settings }: Pick<ProviderConfig, "journal" | "noJournal" | "settings">,
  { folder, processes, warnOnce, interrupted }: JournalUser,
): JournalPlace {
  const files = (why?: string, path?: string): JournalPlace =>
    new JournalFiles(
      path,
      processes,
      warnOnce,
      why && `${why} The request must not be sent twice, so it was not sent.`,
    );
  if (!isStoreAddress(journal)) {
    return files(noJournal, journal);
  }
  try {
    return new JournalStore(new SharedStore(journal, { folder, settings }), processes, warnOnce, interrupted);
  } catch (error) {
    return files(messageOf(error));
  }
}
