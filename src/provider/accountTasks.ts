import type { Held, OwnedPart, Owner } from "../resources/ownership";
import { Owners } from "../resources/ownership";
import type { PropertyNames, Tasks, Template } from "../resources/resource";
import { propertyNames } from "../resources/settings/unknownProperties";
import { madeOnce } from "../values/plain";
import { AccountGuard } from "./accountGuard";

/** What this process knows of the tasks of one account. They tell nothing about another account. */
export class AccountTasks {
  readonly guard = new AccountGuard();
  /** What reads of this process have shown, by task. */
  readonly names = new Map<string, PropertyNames>();
  /** In a trial stack: the tasks that it has made. */
  readonly ofTrial = new Set<string>();
  private readonly owners = new Map<string, Owners<OwnedPart>>();
  /** The sources of the tasks that this run has copied, by the copy. */
  private readonly copies = new Map<string, Template>();
  /** By their own id. */
  private readonly templates = new Map<string, Template>();
  /** The runs that resources have, by task and lotNo. */
  private readonly runs = new Set<string>();

  ownersOf(taskId: string): Owners<OwnedPart> {
    return madeOnce(this.owners, taskId, () => new Owners());
  }

  /** Notes that a resource has this run. False if one that this process has seen has it already. */
  noteRun(taskId: string, lotNo: string): boolean {
    const known = this.runs.size;
    return this.runs.add(`${taskId} ${lotNo}`).size > known;
  }

  /** As one resource sees them. */
  seenBy(owner: Owner, held: Owners<Held>, others: Pick<Tasks, "actions" | "loopWay" | "exclusive">): Tasks {
    return {
      ...others,
      isOwnedElsewhere: (taskId, part) => this.ownersOf(taskId).takenBy(owner, part) !== undefined,
      heldBy: (each) => held.takenBy(owner, each)?.title,
      saw: (taskId, presence, actions = []) => {
        this.guard.saw(taskId, presence);
        this.names.set(taskId, new Map([...(this.names.get(taskId) ?? []), ...propertyNames(actions)]));
      },
      copied: (taskId, source) =>
        this.copies.set(
          taskId,
          madeOnce(this.templates, source, () => ({ taskId: source, names: new Map() })),
        ),
      isNewRun: (taskId, lotNo) => this.noteRun(taskId, lotNo),
      templateOf: (taskId) => this.copies.get(taskId),
    };
  }
}
