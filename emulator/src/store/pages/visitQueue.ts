import type { PageVisit } from "../../visit";
import type { PageRange, RunPages } from "./runPages";

/** The place of a visit in the inputs of its run. */
export interface InputPlace {
  pages: RunPages;
  index: number;
}

/** The pages that a subtask has to open, in order. A change at the front takes the same time for any length. */
export class VisitQueue {
  /** The first visit is the last element. */
  private readonly visits: PageVisit[] = [];
  /** The inputs of which the visits are the last ones. */
  private source: { pages: RunPages; range: PageRange } | undefined;
  private isMade = true;

  constructor(visits: readonly PageVisit[] = []) {
    this.addFirst(visits);
  }

  /** A queue whose visits are made at the first use of one. */
  static later(pages: RunPages, range: PageRange): VisitQueue {
    const queue = new VisitQueue();
    queue.source = { pages, range };
    queue.isMade = false;
    return queue;
  }

  /** The inputs whose visits are not made yet; undefined if the visits are made. */
  get inputs(): PageRange | undefined {
    return this.isMade ? undefined : this.source?.range;
  }

  get length(): number {
    return this.inputs?.count ?? this.visits.length;
  }

  get first(): PageVisit | undefined {
    return this.made().at(-1);
  }

  /** @returns the place of the visit; undefined if it is not one of the inputs. */
  removeFirst(): InputPlace | undefined {
    const left = this.made().length;
    this.visits.pop();
    const { source } = this;
    return source && { pages: source.pages, index: source.range.first + source.range.count - left };
  }

  /** Adds visits before all others. */
  addFirst(visits: readonly PageVisit[]): void {
    if (visits.length === 0) return;
    const all = this.made();
    this.source = undefined;
    addReversed(all, visits);
  }

  toJSON(): PageVisit[] {
    return [...this.made()].reverse();
  }

  /** Makes the visits, before the inputs change. */
  makeAll(): void {
    this.made();
    this.source = undefined;
  }

  private made(): PageVisit[] {
    if (this.isMade || this.source === undefined) return this.visits;
    const { pages, range } = this.source;
    // Only then, because a failure must not leave an empty queue behind.
    addReversed(this.visits, pages.take(range));
    this.isMade = true;
    return this.visits;
  }
}

function addReversed(all: PageVisit[], visits: readonly PageVisit[]): void {
  for (let index = visits.length - 1; index >= 0; index -= 1) all.push(visits[index] as PageVisit);
}
