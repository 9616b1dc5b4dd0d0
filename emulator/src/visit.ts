import type * as described from "./generated/admin";

/** One page that a subtask has to open. */
export interface PageVisit {
  /**
   * `list`: a page with rows. `form`: a page with a form into which a text is entered; the form leads to a list page.
   * `detail`: the detail page of a row, whose fields are added to the row.
   */
  kind: "list" | "form" | "detail";
  url: string;
  /** The text to enter into a form. */
  text?: string;
  /** The number of this page in its list, from 1. */
  page?: number;
  /** The pages of its list before it, without fragments. */
  visited?: string[];
  /** The row of a detail page. */
  row?: Record<string, string>;
}

/** A page that could not be read. */
export interface VisitError extends described.PageError {}

/** The result of a page. */
export interface VisitResult {
  /** Complete rows, in the page's order. */
  rows: Record<string, string>[];
  /** Pages to open next, before all others. */
  next: PageVisit[];
}

/** Number of errors, with those of which only the number is kept. */
export function errorCount(errors: readonly VisitError[]): number {
  return errors.length + (errors.at(-1)?.others ?? 0);
}
