import type { PageVisit } from "../extraction/visit";

/** Pages that follow each other in the inputs of a run. */
export interface PageRange {
  /** The number of pages before them. */
  first: number;
  count: number;
}

/** The pages that a subtask has to open, in order. A change at the front takes the same time for any length. */
export class VisitQueue {
  /** The first visit is the last element. */
  private readonly visits: PageVisit[] = [];
  /** Visits that are not made yet. There are no others before. */
  private notMade: { range: PageRange; make: () => readonly PageVisit[] } | undefined;

  constructor(visits: readonly PageVisit[] = []) {
    this.addFirst(visits);
  }

  /** A queue whose visits are made at the first use of one. */
  static later(range: PageRange, make: () => readonly PageVisit[]): VisitQueue {
    const queue = new VisitQueue();
    queue.notMade = { range, make };
    return queue;
  }

  /** The inputs whose visits are not made yet; undefined if the visits are made. */
  get inputs(): PageRange | undefined {
    return this.notMade?.range;
  }

  get length(): number {
    return this.notMade?.range.count ?? this.visits.length;
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

  /** Makes the visits, before the inputs change. */
  makeAll(): void {
    this.made();
  }

  private made(): PageVisit[] {
    const { notMade } = this;
    // Before they are made: a failure must not leave an empty queue behind.
    if (notMade === undefined) return this.visits;
    const visits = notMade.make();
    this.notMade = undefined;
    this.addFirst(visits);
    return this.visits;
  }
}
