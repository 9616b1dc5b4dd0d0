/** A task of one account. */
export interface DecidedTask {
  origin: string | undefined;
  profile: unknown;
  taskId: string;
}

/**
 * Who decides what of which task in this run. The program refuses two owners of one part where it can see them; where two tasks turn out to
 * be the same one only when their ids are known, it is found here, before the second one sends anything.
 */
export class DecidedParts {
  /** Owner by task and part. */
  private readonly owners = new Map<string, Map<string, string>>();
  private readonly written = new Set<string>();

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
    this.declare(urn, task, parts);
  }

  /** Notes what a resource wrote that was made or updated. */
  wrote(urn: string | undefined, task: DecidedTask, parts: readonly string[]): void {
    this.declare(urn, task, parts);
    for (const part of parts) {
      this.written.add(`${task.taskId} ${part}`);
    }
  }

  isWritten(taskId: string, part: string): boolean {
    return this.written.has(`${taskId} ${part}`) || this.written.has(`${taskId} ${everything}`);
  }

  private ownersOf({ origin, profile, taskId }: DecidedTask): Map<string, string> {
    const key = JSON.stringify([origin, profile, taskId]);
    const owners = this.owners.get(key) ?? new Map<string, string>();
    this.owners.set(key, owners);
    return owners;
  }
}

const everything = "everything";

/** `urn:pulumi:stack::project::parent$module:Type::name` as `Type "name"`. */
function nameIn(urn: string): string {
  const [type = "", ...name] = urn.split("::").slice(2);
  return `${type.slice(type.lastIndexOf(":") + 1)} "${name.join("::")}"`;
}
