import { createHash } from "node:crypto";
import { isPlaceholderId } from "../resources/task/lostResponse";
import { canonical, isRecord } from "../values/plain";
import { partsOfUrn } from "../values/urn";
import type { Entry, ResourceName } from "./journalPlace";

/** A resource as the engine shows it. */
export interface Sighting {
  /** Its class, such as `CloudRun`. */
  type: string;
  id: string;
  /** The arguments that its state holds, without options. */
  args: object;
  /** The whole state. */
  state: Readonly<Record<string, unknown>>;
  /** Why no other instance follows. Absent while one can follow. */
  final?: "stays" | "written" | "deleted";
}

/** Undefined for an entry of an earlier version. */
export function hasSameCredentials({ account, salt }: Entry, { credentials }: ResourceName): boolean | undefined {
  return account === undefined ? undefined : account === hashOf(salt, { credentials });
}

/** Whether the shown resource says the same as this entry without a response. */
export function isPlaceholderOf({ urn, id }: Entry, shown: Sighting): boolean {
  return id === undefined && isPlaceholderId(shown.id) && partsOfUrn(urn).ownType === shown.type;
}

/** Whether the shown resource contains the result of the request. */
export function isInState(entry: Entry, shown: Sighting): boolean {
  const { urn, operation, id, salt, inputs, detail } = entry;
  if (partsOfUrn(urn).ownType !== shown.type) return false;
  switch (operation) {
    case "append":
      return inputs === hashOf(salt, shown.args);
    case "export":
      return id === shown.state.file && detail.sha256 === shown.state.sha256;
    default:
      return id === undefined ? isPlaceholderOf(entry, shown) || isSameStart(entry, shown) === true : id === shown.id;
  }
}

/** Whether this start made the run of the state. Undefined for a state of an earlier version, or a run that was started elsewhere. */
export function isSameStart({ detail }: Entry, { state }: Sighting): boolean | undefined {
  const [sent, made] = [detail, state].map(({ listBefore }) => (isRecord(listBefore) ? listBefore.at : undefined));
  return sent === undefined || made === undefined ? undefined : sent === made;
}

/** Salted, because inputs can contain secrets that are short enough to be guessed. */
export function hashOf(salt: string, inputs: object): string {
  return createHash("sha256")
    .update(`${salt}\n${canonical(inputs)}`)
    .digest("hex");
}
