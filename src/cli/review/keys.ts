import { didYouMean } from "../../service/errors/likelyName";
import { CliError } from "../exitCodes";
import type { ExportPair } from "./exportPairs";

/** The values of `--key`. */
export interface GivenKeys {
  /** For all exports whose rows have these fields. */
  readonly ofAll: readonly string[];
  /** By the name of an export or of a task. */
  readonly byName: ReadonlyMap<string, readonly string[]>;
}

/** @throws CliError if a name is that of no export and no task */
export function keysIn(given: readonly string[], pairs: readonly ExportPair[]): GivenKeys {
  const known = [...new Set(pairs.flatMap(({ name, task }) => [name, task]))];
  const ofAll = new Set<string>();
  const byName = new Map<string, string[]>();
  for (const each of given) {
    const [name, field] = nameAndField(each, known);
    if (name === undefined || field === undefined) {
      ofAll.add(each);
    } else if (known.includes(name)) {
      byName.set(name, [...new Set([...(byName.get(name) ?? []), field])]);
    } else {
      const likely = didYouMean(name, known);
      throw new CliError(
        `--key "${each}" names "${name}", which is no export and no task of the stacks${likely || "."} No rows were read.`,
        "usage",
      );
    }
  }
  return { ofAll: [...ofAll], byName };
}

/** Names and fields can contain `=`: the longest known name counts. Without a name, all is a field. */
function nameAndField(given: string, known: readonly string[]): [name?: string, field?: string] {
  const names = known.filter((name) => given.startsWith(`${name}=`) && given.length > name.length + 1);
  const longest = names.sort((one, other) => other.length - one.length)[0];
  if (longest !== undefined) {
    return [longest, given.slice(longest.length + 1)];
  }
  const [, name, field] = /^([^=]+)=(.+)$/su.exec(given) ?? [];
  return [name, field];
}

/**
 * The key of an export: what `--key` says about it, the fields that `--key` gives for all, or the first field that its checks declare unique. The last two
 * count only if both sides have the fields.
 */
export function keyOf({ name, task, base, head }: ExportPair, keys: GivenKeys, isField: (name: string) => boolean) {
  const own = keys.byName.get(name) ?? keys.byName.get(task);
  if (own !== undefined) {
    return own;
  }
  if (keys.ofAll.length > 0 && keys.ofAll.every(isField)) {
    return keys.ofAll;
  }
  const unique = [...(head?.unique ?? []), ...(base?.unique ?? [])].find(isField);
  return unique === undefined ? [] : [unique];
}
