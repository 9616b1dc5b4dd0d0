/** A task of one account. */
export interface DecidedTask {
  account: string;
  taskId: string;
}

interface Taken {
  urn: string | undefined;
  written: boolean;
}

/**
 * Who decides what of which task in this run. The program refuses two owners of one part where it can see them; where two tasks turn out to
 * be the same one only when their ids are known, it is found here, before the second one sends anything.
 */
export class DecidedParts {
  /** Owner by task and part. */
  private readonly owners = new Map<string, Map<string, string>>();
  /** By task and part, what is written in this run, or about to be. */
  private readonly taken = new Map<string, Map<string, Taken>>();

  /** Notes what this resource declares of a task. Of one whose URN isn't known, nothing is. */
  declare(urn: string | undefined, task: DecidedTask, parts: readonly string[]): void {
    const owners = this.ownersOf(task);
    for (const part of urn === undefined ? [] : parts) {
      owners.set(part, owners.get(part) ?? String(urn));
    }
  }

  /** The same, before it writes that. Throws where another resource decides any of it. */
  claim(urn: string | undefined, task: DecidedTask, parts: readonly string[]): void {
    const owners = this.ownersOf(task);
    for (const part of parts) {
      const rivals = part === everything ? [...owners.values()] : [owners.get(part), owners.get(everything)];
      const rival = rivals.find((owner) => owner !== undefined && owner !== urn);
      if (urn !== undefined && rival !== undefined) {
        const what = part === everything ? "all" : part;
        throw new Error(
          `${nameIn(urn)} and ${nameIn(rival)} (${rival}) both decide ${what} of task "${task.taskId}": each up would undo what the other wrote. ` +
            `Nothing was sent for ${nameIn(urn)}. Leave it to one of them.`,
        );
      }
    }
    this.take(urn, task, parts, false);
  }

  /** Notes what a resource wrote that was made or updated. */
  wrote(urn: string | undefined, task: DecidedTask, parts: readonly string[]): void {
    this.take(urn, task, parts, true);
  }

  /** Whether another resource writes this part in this run, or this one has: then it is its own old self that must not undo it. */
  isTaken(urn: string | undefined, task: DecidedTask, part: string): boolean {
    const taken = notesOf(this.taken, task, () => new Map<string, Taken>());
    return [taken.get(part), taken.get(everything)].some((by) => by !== undefined && (by.urn !== urn || by.written));
  }

  private take(urn: string | undefined, task: DecidedTask, parts: readonly string[], written: boolean): void {
    this.declare(urn, task, parts);
    const taken = notesOf(this.taken, task, () => new Map<string, Taken>());
    for (const part of parts) {
      taken.set(part, { urn, written });
    }
  }

  private ownersOf(task: DecidedTask): Map<string, string> {
    return notesOf(this.owners, task, () => new Map<string, string>());
  }
}

/** What is noted of a task. */
function notesOf<T>(entries: Map<string, T>, { account, taskId }: DecidedTask, make: () => T): T {
  const key = JSON.stringify([account, taskId]);
  const entry = entries.get(key) ?? make();
  entries.set(key, entry);
  return entry;
}

const everything = "everything";

/** `urn:pulumi:stack::project::parent$module:Type::name` as `Type "name"`. */
function nameIn(urn: string): string {
  const [type = "", ...name] = urn.split("::").slice(2);
  return `${type.slice(type.lastIndexOf(":") + 1)} "${name.join("::")}"`;
}
