/** A half-open range of row numbers: from, to. */
export type RowRange = readonly [number, number];

/** A set of row numbers, stored as sorted ranges. Marks on a million consecutive rows need only two numbers, in memory and in the state file. */
export class RowMarks {
  private readonly ranges: RowRange[];

  constructor(ranges: readonly RowRange[] = []) {
    this.ranges = [];
    this.addRanges(ranges);
  }

  add(from: number, to: number): void {
    if (to <= from) return;
    // The ranges from first to last touch the new one. They become one range.
    const first = this.indexOf((range) => range[1] >= from);
    const last = this.indexOf((range) => range[0] > to);
    const start = Math.min(from, this.ranges[first]?.[0] ?? from);
    const end = Math.max(to, first < last ? (this.ranges[last - 1]?.[1] ?? to) : to);
    this.ranges.splice(first, last - first, [start, end]);
  }

  addAll(other: RowMarks): void {
    this.addRanges(other.ranges);
  }

  has(row: number): boolean {
    const range = this.ranges[this.indexOf(([, end]) => end > row)];
    return range !== undefined && range[0] <= row;
  }

  /** The number of rows below `length` in the set. */
  count(length: number): number {
    return this.ranges.reduce((sum, [from, to]) => sum + Math.max(0, Math.min(to, length) - from), 0);
  }

  /** The first rows below `length` that are not in the set, at most `limit`, as ranges. */
  gaps(length: number, limit: number): RowRange[] {
    const found: RowRange[] = [];
    let left = limit;
    let position = 0;
    for (const [from, to] of [...this.ranges, [length, length] as RowRange]) {
      const end = Math.min(from, length, position + left);
      if (end > position) {
        found.push([position, end]);
        left -= end - position;
      }
      position = Math.max(position, to);
      if (left <= 0 || position >= length) break;
    }
    return found;
  }

  toJSON(): RowRange[] {
    return [...this.ranges];
  }

  /** Sorted first, so that each range is added at the end. */
  private addRanges(ranges: readonly RowRange[]): void {
    for (const [from, to] of [...ranges].sort((one, other) => one[0] - other[0])) this.add(from, to);
  }

  /** The index of the first range that `matches`; all ranges after it match too. */
  private indexOf(matches: (range: RowRange) => boolean): number {
    let low = 0;
    let high = this.ranges.length;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const range = this.ranges[middle];
      if (range !== undefined && matches(range)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
