import type { PageVisit } from "../extraction/visit";

/** The pages that a subtask has to open, in order. A change at the front takes the same time for any length. */
export class VisitQueue {
  /** The first visit is the last element. */
  private readonly visits: PageVisit[] = [];
  /** Visits that are not made yet. There are no others before. */
  private notMade: { count: number; make: () => readonly PageVisit[] } | undefined;

  constructor(visits: readonly PageVisit[] = []) {
    this.addFirst(visits);
  }

  /** A queue whose visits are made at the first use of one. */
  static later(count: number, make: () => readonly PageVisit[]): VisitQueue {
    const queue = new VisitQueue();
    queue.notMade = { count, make };
    return queue;
  }

  get length(): number {
    return this.notMade?.count ?? this.visits.length;
  }

  get first(): PageVisit | undefined {
    return this.made().at(-1);
  }

  removeFirst(): void {
    this.made().pop();
  }

  /** Adds visits before all others. */
  addFirst(visits: readonly PageVisit[]): void {
    const all = this.made();
    for (let index = visits.length - 1; index >= 0; index -= 1) all.push(visits[index] as PageVisit);
  }

  /** Removes and returns all visits. */
  removeAll(): PageVisit[] {
    return this.made().splice(0).reverse();
  }

  toJSON(): PageVisit[] {
    return [...this.made()].reverse();
  }

  private made(): PageVisit[] {
    const { notMade } = this;
    this.notMade = undefined;
    if (notMade !== undefined) this.addFirst(notMade.make());
    return this.visits;
  }
}
