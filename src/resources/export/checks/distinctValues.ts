import { hash } from "node:crypto";
import { RowCount } from "./rowCount";

/** At this number, the digests need about 120 MB. */
export const mostDistinctValues = 2_000_000;

/**
 * Remembers which values have occurred, by 64 bits of a digest of each, so that the memory does not depend on their length. Two of 2,000,000 values have the
 * same 64 bits in one of 9,000,000 exports.
 */
export class DistinctValues {
  /** The rows whose value has occurred before. */
  readonly repeated = new RowCount();
  /** Whether there were more different values than can be remembered. Then some of them may have occurred before. */
  overflowed = false;
  private readonly digests = new Set<string>();

  constructor(readonly most = mostDistinctValues) {}

  add(text: string, row: number): void {
    const digest = hash("sha256", text, "binary").slice(0, 8);
    if (this.digests.has(digest)) {
      this.repeated.note(row);
    } else if (this.digests.size === this.most) {
      this.overflowed = true;
    } else {
      this.digests.add(digest);
    }
  }
}
