import type { PageVisit } from "../../visit";
import type { PageRange, RunPages } from "./runPages";
import type { InputPlace } from "./visitQueue";
import { VisitQueue } from "./visitQueue";

/**
 * The failed pages of a subtask, in order. Inputs of the run that follow each other are kept as their place, because a run can have a million
 * pages that fail.
 */
export class FailedPages {
  private source: { pages: RunPages; range: PageRange } | undefined;
  /** After those of the source. */
  private visits: PageVisit[];

  constructor(visits: readonly PageVisit[] = []) {
    this.visits = [...visits];
  }

  static of(pages: RunPages, range: PageRange): FailedPages {
    const failed = new FailedPages();
    failed.source = { pages, range };
    return failed;
  }

  /** The inputs that are kept as their place; undefined if there are none. */
  get inputs(): PageRange | undefined {
    return this.source?.range;
  }

  /** @param place undefined if the page is not one of the inputs. */
  add(visit: PageVisit, place: InputPlace | undefined): void {
    const { source, visits } = this;
    if (place !== undefined && visits.length === 0 && source === undefined) {
      this.source = { pages: place.pages, range: { first: place.index, count: 1 } };
    } else if (source !== undefined && visits.length === 0 && isNext(source, place)) source.range.count += 1;
    else visits.push(visit);
  }

  clear(): void {
    this.source = undefined;
    this.visits = [];
  }

  /** The queue of these pages and then of the others. */
  before(others: VisitQueue): VisitQueue {
    const { source, visits } = this;
    if (source !== undefined && visits.length === 0 && others.length === 0) {
      return VisitQueue.later(source.pages, { ...source.range });
    }
    others.addFirst(this.toJSON());
    return others;
  }

  toJSON(): PageVisit[] {
    const made = this.source?.pages.take(this.source.range) ?? [];
    return [...made, ...this.visits];
  }

  /** The form for a state file, which has the inputs. */
  toState(): PageRange | PageVisit[] {
    return this.visits.length === 0 && this.source !== undefined ? this.source.range : this.toJSON();
  }

  /** Makes the visits, before the inputs change. */
  makeAll(): void {
    this.visits = this.toJSON();
    this.source = undefined;
  }
}

function isNext({ pages, range }: { pages: RunPages; range: PageRange }, place: InputPlace | undefined): boolean {
  return place?.pages === pages && place.index === range.first + range.count;
}
