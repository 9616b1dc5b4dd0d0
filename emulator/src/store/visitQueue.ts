import type { PageVisit } from "../extraction/visit";

/** The pages that a subtask has to open, in order. Taking the first one takes the same time for any length. */
export class VisitQueue {
  private visits: readonly PageVisit[];
  /** Visits before it have left the queue. */
  private head = 0;

  constructor(visits: readonly PageVisit[] = []) {
    this.visits = visits;
  }

  get length(): number {
    return this.visits.length - this.head;
  }

  get first(): PageVisit | undefined {
    return this.visits[this.head];
  }

  removeFirst(): void {
    this.head += 1;
  }

  /** Adds visits before all others. */
  addFirst(visits: readonly PageVisit[]): void {
    if (visits.length === 0) return;
    this.visits = [...visits, ...this.rest()];
    this.head = 0;
  }

  /** Removes and returns all visits. */
  removeAll(): PageVisit[] {
    const rest = this.rest();
    this.visits = [];
    this.head = 0;
    return rest;
  }

  toJSON(): PageVisit[] {
    return this.rest();
  }

  private rest(): PageVisit[] {
    return this.visits.slice(this.head);
  }
}
