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
