import { randomInt } from "node:crypto";

/** At this number, the table has 2 to the power of 22 places and 32 MB. */
export const mostDistinctValues = 3_000_000;

/**
 * Remembers which values have occurred, by a hash of 64 bits of each. A cryptographic hash would take most of the time of all checks. Two of 3,000,000 values have
 * the same 64 bits in one of 4,000,000 exports.
 * The memory is 11 to 22 bytes for each different value, whatever their length.
 */
export class DistinctValues {
  /** Values that are remembered. */
  size = 0;
  /** Nobody can choose values with the same hash. */
  private readonly seed = randomInt(2 ** 32);
  private mask = 1023;
  /** Each place has the high and the low half of a hash side by side: a place is then mostly one access to memory. */
  private table = new Uint32Array(2 * (this.mask + 1));

  constructor(private readonly most = mostDistinctValues) {}

  get isFull(): boolean {
    return this.size >= this.most;
  }

  /** Returns whether the value is new. A new value is remembered unless the table is full. */
  add(text: string): boolean {
    let one = this.seed;
    let other = this.seed;
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      one = mixed(one, unit, 0xcc9e2d51);
      other = mixed(other, unit, 0x239b961b);
    }
    const high = finished(one ^ text.length);
    // 0 stands for an empty place.
    const low = finished((other ^ text.length) + high) || 1;
    const place = this.placeOf(high, low);
    if (this.table[place + 1] !== 0) {
      return false;
    }
    if (!this.isFull) {
      this.table[place] = high;
      this.table[place + 1] = low;
      this.size++;
      if (this.size > this.mask * 0.75) {
        this.grow();
      }
    }
    return true;
  }

  /** The index of a place that is empty or has this hash. */
  private placeOf(high: number, low: number): number {
    const { table, mask } = this;
    let place = low & mask;
    for (;;) {
      const found = table[2 * place + 1];
      if (found === 0 || (found === low && table[2 * place] === high)) {
        return 2 * place;
      }
      place = (place + 1) & mask;
    }
  }

  private grow(): void {
    const { table } = this;
    this.mask = this.mask * 2 + 1;
    this.table = new Uint32Array(2 * (this.mask + 1));
    for (let from = 0; from < table.length; from += 2) {
      const [high, low] = [table[from] ?? 0, table[from + 1] ?? 0];
      if (low !== 0) {
        const place = this.placeOf(high, low);
        this.table[place] = high;
        this.table[place + 1] = low;
      }
    }
  }
}

/** One step of MurmurHash3, for one UTF-16 code unit. Different multipliers make the two hashes of a value independent. */
function mixed(hash: number, unit: number, multiplier: number): number {
  const product = Math.imul(unit, multiplier);
  const rotated = Math.imul((product << 15) | (product >>> 17), 0x1b873593) ^ hash;
  return (Math.imul((rotated << 13) | (rotated >>> 19), 5) + 0xe6546b64) | 0;
}

function finished(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return (twice ^ (twice >>> 16)) >>> 0;
}
