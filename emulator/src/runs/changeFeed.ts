/** What changed: a request of the journal, a task or its rows, a run, the behaviours, or the faults. */
const changeTypes = ["request", "task", "run", "behaviour", "fault"] as const;

/** A change. Without ids, anything of this type can have changed. */
export interface Change {
  readonly type: (typeof changeTypes)[number];
  readonly taskId?: string;
  readonly lotNo?: string;
}

type Listener = (change: Change) => void;

/** Tells listeners what has changed, never the new content: they read what they need. */
export class ChangeFeed {
  private readonly listeners = new Set<Listener>();

  tell(change: Change): void {
    for (const listener of this.listeners) listener(change);
  }

  /** Everything can have changed. */
  tellAll(): void {
    for (const type of changeTypes) this.tell({ type });
  }

  /** Calls the listener with each change. @returns a function that ends this. */
  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
