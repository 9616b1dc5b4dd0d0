import type { PageVisit } from "../../visit";

/** Pages that follow each other in the inputs of a run. */
export interface PageRange {
  /** The number of pages before them. */
  first: number;
  count: number;
}

/** The inputs of a run. Pages are made when they are needed, because a run can have a million of them. */
export class RunPages {
  /** A pass over the inputs, and the number of pages that it has made. */
  private pass: { visits: Iterator<PageVisit>; position: number } | undefined;

  /** @param visits makes all pages, the same ones with each call. */
  constructor(private readonly visits: () => Iterator<PageVisit>) {}

  /** Makes some pages. Ranges in ascending order need one pass. */
  take({ first, count }: PageRange): PageVisit[] {
    const pass = this.pass !== undefined && this.pass.position <= first ? this.pass : this.begin();
    // A pass ends with an error.
    this.pass = undefined;
    for (; pass.position < first; pass.position += 1) pass.visits.next();
    const part: PageVisit[] = [];
    for (; part.length < count; pass.position += 1) {
      const { value, done } = pass.visits.next();
      if (done === true) break;
      part.push(value);
    }
    this.pass = pass;
    return part;
  }

  private begin() {
    return { visits: this.visits(), position: 0 };
  }
}
