import { createHash } from "node:crypto";
import { canonical, isRecord } from "../../values/plain";

/**
 * A resource of `rerunOn` as `check` gets it: its type, its name, and a hash of all its arguments except options, with
 * the content of files and lists.
 * @param args the checked arguments. All are known.
 */
export function namedHash(type: string, name: string, args: Readonly<Record<string, unknown>>): string {
  const hash = createHash("sha256").update(`${type}${canonical(withoutOwnId(args))}`);
  return `${type} ${name} ${hash.digest("hex")}`;
}

/**
 * With a source, `adoptTaskId` names the existing copy. Adding or removing it changes nothing, so it must not start a
 * paid run.
 */
function withoutOwnId(args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { adoptTaskId, ...others } = args;
  if (args.sourceTaskId !== undefined) {
    return others;
  }
  return isRecord(args.from) ? { ...args, from: withoutOwnId(args.from) } : args;
}

/** Whether a value is a resource of `rerunOn`, as `namedHash` returns it. */
export function isNamedHash(value: unknown): value is string {
  return typeof value === "string" && sent.test(value);
}

/** A resource of `rerunOn` as a class sends it: its name, then the hash of its arguments. */
const sent = /^(.* )([0-9a-f]{64})$/su;
const shownDigits = 12;

/**
 * The value of `rerunOn` in the state: for each resource, its name and the beginning of the hash of its arguments, so
 * that a preview shows by name what starts a run. An entry of the state whose hash is the same stays as it is and where
 * it is: another order starts no run, nor does another name, nor an upgrade. New entries take the places of those that
 * are gone.
 */
export function joinRerunOn(given: unknown[] | undefined, before: unknown): unknown[] | undefined {
  if (!Array.isArray(given)) {
    return given;
  }
  const added: unknown[] = [...given];
  const earlier: unknown[] = Array.isArray(before) ? before : [];
  const stays = earlier.map((known) => {
    const at = added.findIndex((each) => each === known || (isNamedHash(each) && hashOf(each) === hashOf(known)));
    return at >= 0 && added.splice(at, 1).length > 0;
  });
  const shown = added.map((each) => (isNamedHash(each) ? each.slice(0, shownDigits - 64) : each));
  return [...earlier.flatMap((known, index) => (stays[index] ? [known] : shown.splice(0, 1))), ...shown];
}

/** What determines whether a start is the same one: neither the order nor the names. */
export function hashesOf(rerunOn: unknown): unknown {
  return Array.isArray(rerunOn) ? rerunOn.map(hashOf).sort() : rerunOn;
}

/** The beginning of the hash. A state of an earlier version has the whole hash, and no name. */
function hashOf(entry: unknown): string {
  const text = typeof entry === "string" ? entry : canonical(entry);
  const hash = text.slice(text.lastIndexOf(" ") + 1);
  return /^[0-9a-f]{12}(?:[0-9a-f]{52})?$/.test(hash) ? hash.slice(0, shownDigits) : text;
}
