import { createHash } from "node:crypto";
import { isRecord } from "../../values/isRecord";
import { canonical } from "../values";

/**
 * A resource of `rerunOn` as `check` gets it: its type, its name, and a hash of all its arguments except options, with the content of files and lists.
 * @param args the checked arguments. All are known.
 */
export function namedHash(type: string, name: string, args: Readonly<Record<string, unknown>>): string {
  const hash = createHash("sha256").update(`${type}${canonical(withoutOwnId(args))}`);
  return `${type} ${name} ${hash.digest("hex")}`;
}

/** With a source, `adoptTaskId` names the existing copy. Adding or removing it changes nothing, so it must not start a paid run. */
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
 * The value of `rerunOn` in the state: for each resource, its name and the beginning of the hash of its arguments, so that a preview shows by name what
 * starts a run. An entry of the state whose hash is the same stays as it is: another name starts no run, and neither does an entry of an earlier version,
 * which has the whole hash and no name.
 */
export function joinRerunOn(given: unknown, before: unknown): unknown {
  if (!Array.isArray(given)) {
    return given;
  }
  const earlier: unknown[] = Array.isArray(before) ? before : [];
  return given.map((each: unknown, index) => {
    const [, name, hash] = (typeof each === "string" && sent.exec(each)) || [];
    if (name === undefined || hash === undefined) {
      return each;
    }
    const short = hash.slice(0, shownDigits);
    const known = earlier[index];
    const isSame = known === hash || (typeof known === "string" && known.endsWith(` ${short}`));
    return isSame ? known : name + short;
  });
}
