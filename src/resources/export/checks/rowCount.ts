const mostShown = 5;

/** Counts rows and remembers the numbers of the first ones. */
export class RowCount {
  count = 0;
  private readonly first: number[] = [];

  note(row: number): void {
    this.count++;
    if (this.first.length < mostShown) {
      this.first.push(row);
    }
  }

  /** The first rows, such as `rows 3, 8`. */
  describe(): string {
    const numbers = this.first.join(", ");
    return `row${this.count === 1 ? "" : "s"} ${numbers}${this.count > this.first.length ? ", …" : ""}`;
  }
}
