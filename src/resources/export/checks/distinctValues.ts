import { hash } from "node:crypto";

/** At this number, the table has 2 to the power of 22 places and 32 MB. */
export const mostDistinctValues = 3_000_000;

/**
 * Remembers which values have occurred, by 64 bits of a digest of each. Two of 3,000,000 values have the same 64 bits in one of 4,000,000 exports.
 * The memory is 11 to 22 bytes for each different value, whatever their length.
 */
export class DistinctValues {
  /** Values that are remembered. */
  size = 0;
  private mask = 1023;
  private high = new Uint32Array(this.mask + 1);
  private low = new Uint32Array(this.mask + 1);

  constructor(private readonly most = mostDistinctValues) {}

  get isFull(): boolean {
    return this.size >= this.most;
  }

  /** Returns whether the value is new. A new value is remembered unless the table is full. */
  add(text: string): boolean {
    // One character for each byte.
    const digest = hash("sha256", text, "binary");
    const high = integerAt(digest, 0);
    // 0 stands for an empty place.
    const low = integerAt(digest, 4) || 1;
    const place = this.placeOf(high, low);
    if (this.low[place] !== 0) {
      return false;
    }
    if (!this.isFull) {
      this.high[place] = high;
      this.low[place] = low;
      this.size++;
      if (this.size > this.mask * 0.75) {
        this.grow();
      }
    }
    return true;
  }

  private placeOf(high: number, low: number): number {
    let place = low & this.mask;
    while (this.low[place] !== 0 && (this.low[place] !== low || this.high[place] !== high)) {
      place = (place + 1) & this.mask;
    }
    return place;
  }

  private grow(): void {
    const { high, low } = this;
    this.mask = this.mask * 2 + 1;
    this.high = new Uint32Array(this.mask + 1);
    this.low = new Uint32Array(this.mask + 1);
    low.forEach((each, index) => {
      if (each !== 0) {
        const place = this.placeOf(high[index] ?? 0, each);
        this.high[place] = high[index] ?? 0;
        this.low[place] = each;
      }
    });
  }
}

function integerAt(bytes: string, at: number): number {
  const low = bytes.charCodeAt(at) | (bytes.charCodeAt(at + 1) << 8);
  const high = bytes.charCodeAt(at + 2) | (bytes.charCodeAt(at + 3) << 8);
  return (low | (high << 16)) >>> 0;
}
