/** One page that a subtask has to open. */
export interface PageVisit {
  /**
   * `list`: a page that rows are read from. `form`: a page with a form that a text is entered into; what it leads to is a list page.
   * `detail`: the page behind a row, whose fields are added to the row.
   */
  kind: "list" | "form" | "detail";
  url: string;
  /** The text of a loop, for a form. */
  text?: string;
  /** How many pages of this list were read before. */
  page?: number;
  /** The row that a detail page belongs to. */
  row?: Record<string, string>;
}

/** A page that could not be read. */
export interface VisitError {
  /** The page. */
  url: string;
  /** Why. */
  message: string;
}

/** What came of a page. */
export interface VisitResult {
  /** Complete rows, in the page's order. */
  rows: Record<string, string>[];
  /** Pages to open next, before all others. */
  next: PageVisit[];
}
