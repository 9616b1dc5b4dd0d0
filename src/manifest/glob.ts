/**
 * Globs with `*` and `?` for a part of a name, and `**` for any number of folders. The libraries for globs make regular expressions, with which `*a*a*a*a*b` takes
 * hours. Here the time grows with the lengths of the glob and of the path only.
 */
export interface Glob {
  /** The folder above all that can match. */
  readonly folder: string;
  /** @param path relative to the folder, with `/` */
  matches(path: string): boolean;
}

/** The glob in a path; undefined if it has no wildcard. */
export function globIn(path: string): Glob | undefined {
  const parts = path.split("/");
  const first = parts.findIndex((part) => /[*?]/.test(part));
  if (first < 0) {
    return undefined;
  }
  const rest = parts.slice(first).filter((part) => part !== "");
  return {
    // The part before the first slash of an absolute path is empty.
    folder: `${parts.slice(0, first).join("/")}${first === 1 ? "/" : ""}`,
    matches: (name) => matchParts(rest, name.split("/"), "**", matchName),
  };
}

function matchName(glob: string, name: string): boolean {
  return matchParts([...glob], [...name], "*", (one, character) => one === "?" || one === character);
}

/** Whether the parts fit one after the other, where `any` stands for any number of parts. Only the last `any` can have taken too few. */
function matchParts(
  glob: readonly string[],
  parts: readonly string[],
  any: string,
  fits: (glob: string, part: string) => boolean,
): boolean {
  let [at, from, lastAny] = [0, 0, -1];
  for (let next = 0; next < parts.length; ) {
    const wanted = glob[at];
    if (wanted === any) {
      lastAny = at++;
      from = next;
    } else if (wanted !== undefined && fits(wanted, parts[next] ?? "")) {
      at++;
      next++;
    } else if (lastAny >= 0) {
      at = lastAny + 1;
      next = ++from;
    } else {
      return false;
    }
  }
  return glob.slice(at).every((each) => each === any);
}
