import type { PageVisit } from "../extraction/visit";

/** The pages that a subtask has to open, in order. A change at the front takes the same time for any length. */
export class VisitQueue {
  /** The first visit is the last element. */
  private readonly visits: PageVisit[] = [];

  constructor(visits: readonly PageVisit[] = []) {
    this.addFirst(visits);
  }

  get length(): number {
    return this.visits.length;
  }

  get first(): PageVisit | undefined {
    return this.visits.at(-1);
  }

  removeFirst(): void {
    this.visits.pop();
  }

  /** Adds visits before all others. */
  addFirst(visits: readonly PageVisit[]): void {
    for (let index = visits.length - 1; index >= 0; index -= 1) this.visits.push(visits[index] as PageVisit);
  }

  /** Removes and returns all visits. */
  removeAll(): PageVisit[] {
    return this.visits.splice(0).reverse();
  }

  toJSON(): PageVisit[] {
    return [...this.visits].reverse();
  }
}
