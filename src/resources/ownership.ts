import type { Problem } from "../values/kinds";
import { differs, holdsUnknown, isPlainMap } from "../values/plain";

/** Identifies a setting within its task, also in the state. */
export type SettingId =
  | { readonly part: "property"; readonly actionId: string; readonly name: string }
  | { readonly part: "loop"; readonly actionId: string };

/** A part of a task that one resource manages. `everything` stands for all parts. */
export type OwnedPart = SettingId | { readonly part: "everything" | "startUrls" };

/**
 * What a delete can undo although another resource has it too. Task ids count without their account: rows that stay can
 * still be removed.
 *
 * | what a delete undoes | protected by each other resource that |
 * |---|---|
 * | settings: writes the values from before (`OwnedPart`) | manages them |
 * | rows: removes those of a task | names or adopts the task |
 * | run: stops it | adopts the run, or exports its rows |
 * | subtask: stops it with its run | wants it started |
 * | file: removes it | writes it, or has a path that names it |
 *
 * Another resource is one that this command declares, also of the same URN: the delete of a replaced instance can come
 * with a later command. A delete before a replacement comes before what the program declares later, so it removes no
 * rows, and a run is protected only by what comes before it. A destroy, and a command with targets, does not show what
 * stays.
 */
export type Held =
  | { readonly part: "rows"; readonly taskId: string }
  | { readonly part: "run"; readonly taskId: string; readonly lotNo: string }
  | { readonly part: "subtask"; readonly taskId: string; readonly subTaskId: string }
  /** `file`: its identity. `names`: all files that a path with placeholders can name. */
  | { readonly part: "file"; readonly file: string; readonly names?: RegExp };

export const everything: OwnedPart = { part: "everything" };

/** Quotes within an id or a name are escaped. */
export function describePart(part: OwnedPart): string {
  switch (part.part) {
    case "property":
      return `property ${JSON.stringify(part.name)} of action ${JSON.stringify(part.actionId)}`;
    case "loop":
      return `the loop of action ${JSON.stringify(part.actionId)}`;
    default:
      return part.part === "startUrls" ? "the start URLs" : "everything";
  }
}

const identity = ["part", "actionId", "name", "taskId", "lotNo", "subTaskId", "file"] as const;

/** The same key for the same part. */
export function claimKey(part: OwnedPart | Held): string {
  const fields: Partial<Record<(typeof identity)[number], string>> = part;
  return JSON.stringify(identity.map((field) => fields[field]));
}

/** A resource as the owner of parts of a task. */
export interface Owner {
  /** Identifies the owner; undefined if the resource is not known. Such an owner never conflicts. */
  readonly key: unknown;
  /** `Type "name"`. */
  readonly title: string;
}

/**
 * The stage of a claim: declared in the program, about to be written in this run, or written in this run. `left`: a file
 * that stays, and that its export has no longer.
 */
export type Claim = "left" | "declared" | "writing" | "written";

interface Claimed<Part> {
  readonly part: Part;
  /** In the order in which they claimed the part. */
  readonly owners: Map<unknown, { owner: Owner; claim: Claim }>;
}

/**
 * Which resources have which part of one task, or of what deletes can undo. Two resources that manage the same part
 * would undo each other with each up. The program finds two owners where both name the task in the same way; the
 * provider finds the others, when the ids are known.
 */
export class Owners<Part extends OwnedPart | Held> {
  private readonly claims = new Map<string, Claimed<Part>>();

  /** The first owner of one of these parts, if it is another resource. */
  conflictWith(owner: Owner, parts: readonly Part[]): { part: Part; other: Owner; claim: Claim } | undefined {
    for (const part of owner.key === undefined ? [] : parts) {
      const claims = part.part === "everything" ? [...this.claims.values()] : this.claimsOf(part);
      const first = claims.map(({ owners }) => {
        const known = [...owners.values()].filter((each) => each.owner.key !== undefined);
        return known.find((each) => each.claim !== "left") ?? known[0];
      });
      const other = first.find((each) => each !== undefined && each.owner.key !== owner.key);
      if (other !== undefined) {
        return { part, other: other.owner, claim: other.claim };
      }
    }
    return undefined;
  }

  /** Notes a claim. The first owner of a part stays its owner. */
  note(owner: Owner, parts: readonly Part[], claim: Claim): void {
    for (const part of parts) {
      const key = claimKey(part);
      const claimed = this.claims.get(key) ?? { part, owners: new Map() };
      this.claims.set(key, claimed);
      if (claim === "writing" || claim === "written" || !claimed.owners.has(owner.key)) {
        claimed.owners.set(owner.key, { owner, claim });
      }
    }
  }

  /**
   * The resource for which the delete of this one must leave a part alone: another one has it, or the replacement of
   * this one names it.
   */
  takenBy(owner: Owner, part: Part): Owner | undefined {
    const file = "file" in part ? part.file : undefined;
    const named = file === undefined ? [] : [...this.claims.values()].filter((each) => mayName(each.part, file));
    const claims = [...this.claimsOf(part), ...named].flatMap(({ owners }) => [...owners.values()]);
    const others = claims.filter((each) => each.claim === "written" || each.owner.key !== owner.key);
    return (others.find((each) => each.owner.key !== undefined) ?? others[0])?.owner;
  }

  private claimsOf(part: Part): Claimed<Part>[] {
    return [part, everything].flatMap((each) => this.claims.get(claimKey(each)) ?? []);
  }
}

/** Whether a path with placeholders can name this file. */
export function mayName(part: OwnedPart | Held, file: string): boolean {
  return part.part === "file" && part.names?.test(file) === true;
}

/** Why two resources cannot manage the same part of a task. */
export function describeConflict(owner: string, other: string, part: OwnedPart, task: string): string {
  const what = part.part === "everything" ? task : `${describePart(part)} of ${task}`;
  return `${owner} and ${other} both manage ${what}. Each up would undo what the other wrote.`;
}

/**
 * The task that arguments name: to configure it, or to adopt it. An output or an unknown value is returned unchanged.
 */
export function taskNamedBy(args: Readonly<Record<string, unknown>>): unknown {
  const { adoptTaskId } = isPlainMap(args.from) ? args.from : args;
  return args.taskId ?? adoptTaskId;
}

/** The arguments that say which task of which account a resource has. */
export const identityArgs: readonly string[] = ["taskId", "adoptTaskId", "from", "profile"];

/**
 * What is wrong with arguments that are not those of the program, which has found the order and the owners from its
 * own: Pulumi applies a transform after that.
 */
export function transformProblems(
  declared: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, unknown>>,
): Problem[] {
  const pairs: [string, unknown, unknown][] = [
    ["taskId" in given ? "taskId" : "adoptTaskId", taskNamedBy(declared), taskNamedBy(given)],
    ["profile", declared.profile, given.profile],
  ];
  return pairs
    .filter(([, one, other]) => holdsUnknown(one) !== holdsUnknown(other) || differs(one ?? null, other ?? null))
    .map(([path]) => ({ path, reason: describeTransform(path) }));
}

function describeTransform(name: string): string {
  return (
    "was changed by a transform, after the program has found the order of the task's resources: a run could start before its settings. " +
    `Give this ${name} in the arguments of the resource, and leave it out of the transform`
  );
}
