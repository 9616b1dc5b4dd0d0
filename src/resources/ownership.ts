import { isPlainMap } from "./values";

/** Identifies a setting within its task, also in the state. */
export type SettingId =
  | { readonly part: "property"; readonly actionId: string; readonly name: string }
  | { readonly part: "loop"; readonly actionId: string };

/** A part of a task that one resource manages. `everything` stands for all parts. */
export type OwnedPart = SettingId | { readonly part: "everything" | "startUrls" };

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

/** The same key for the same part. */
export function keyOf(part: OwnedPart): string {
  return JSON.stringify([part.part, "actionId" in part && part.actionId, "name" in part && part.name]);
}

/** A resource as the owner of parts of a task. */
export interface Owner {
  /** Identifies the owner; undefined if the resource is not known. Such an owner never conflicts. */
  readonly key: unknown;
  /** `Type "name"`. */
  readonly title: string;
}

/** The stage of a claim: declared in the program, about to be written in this run, or written in this run. */
type Claim = "declared" | "writing" | "written";

/**
 * Which resource manages which part of one task. Two resources that manage the same part would undo each other with
 * each up. The program finds two owners where both name the task in the same way; the provider finds the others, when
 * the ids are known.
 */
export class TaskOwners {
  private readonly claims = new Map<string, { owner: Owner; claim: Claim }>();

  /** Another resource that manages one of these parts. */
  conflictWith(owner: Owner, parts: readonly OwnedPart[]): { part: OwnedPart; other: Owner } | undefined {
    for (const part of owner.key === undefined ? [] : parts) {
      const claims = part.part === "everything" ? [...this.claims.values()] : this.claimsOf(part);
      const other = claims.map((each) => each.owner).find(({ key }) => key !== undefined && key !== owner.key);
      if (other !== undefined) {
        return { part, other };
      }
    }
    return undefined;
  }

  /** Notes a claim. The first owner of a part stays its owner. */
  note(owner: Owner, parts: readonly OwnedPart[], claim: Claim): void {
    for (const part of parts) {
      const present = this.claims.get(keyOf(part));
      if (present === undefined || claim !== "declared") {
        this.claims.set(keyOf(part), { owner: present?.owner.key === undefined ? owner : present.owner, claim });
      }
    }
  }

  /**
   * Whether the delete of this resource must leave a part alone: another resource writes it in this run, or this
   * resource has written it, as the replacement of its old instance.
   */
  isTaken(owner: Owner, part: OwnedPart): boolean {
    return this.claimsOf(part).some(
      (each) => each.claim === "written" || (each.claim === "writing" && each.owner.key !== owner.key),
    );
  }

  private claimsOf(part: OwnedPart): { owner: Owner; claim: Claim }[] {
    return [part, everything].map((each) => this.claims.get(keyOf(each))).filter((claim) => claim !== undefined);
  }
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
