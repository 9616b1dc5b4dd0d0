/** A half-open range of row numbers: from, to. */
export type RowRange = readonly [number, number];

/** A set of row numbers, stored as sorted ranges. Marks on a million consecutive rows need only two numbers, in memory and in the state file. */
export class RowMarks {
  private ranges: RowRange[];

  constructor(ranges: readonly RowRange[] = []) {
    this.ranges = [];
    for (const [from, to] of ranges) this.add(from, to);
  }

  add(from: number, to: number): void {
    if (to <= from) return;
    const before = this.ranges.filter(([, end]) => end < from);
    const after = this.ranges.filter(([start]) => start > to);
    const touched = this.ranges.filter(([start, end]) => end >= from && start <= to);
    const start = Math.min(from, ...touched.map((range) => range[0]));
    const end = Math.max(to, ...touched.map((range) => range[1]));
    this.ranges = [...before, [start, end], ...after];
  }

  addAll(other: RowMarks): void {
    for (const [from, to] of other.ranges) this.add(from, to);
  }

  has(row: number): boolean {
    return this.ranges.some(([from, to]) => row >= from && row < to);
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
    return this.ranges;
  }
}
