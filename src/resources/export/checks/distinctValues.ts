import { randomInt } from "node:crypto";
import { RowCount } from "./rowCount";

/** At this number, the table has 2 to the power of 22 places and 32 MB. */
export const mostDistinctValues = 3_000_000;

/** Values that wait to be looked up. */
const batch = 1024;

/**
 * Remembers which values have occurred, by a hash of 64 bits of each. A cryptographic hash would take most of the time of all checks. Two of 3,000,000 values have
 * the same 64 bits in one of 4,000,000 exports.
 * The memory is 11 to 22 bytes for each different value, whatever their length.
 *
 * The table is much larger than a processor's cache. Values are looked up many at a time, because the processor then waits for many places at once.
 */
export class DistinctValues {
  private readonly repeatedValues = new RowCount();
  private hasOverflowed = false;
  /** Values that are remembered. */
  private size = 0;
  /** The start and the multiplier of each half. They are random, so that nobody can choose values with the same hash. */
  private readonly highSeed = randomInt(2 ** 32) | 0;
  private readonly highMultiplier = randomInt(2 ** 32) | 1;
  private readonly lowSeed = randomInt(2 ** 32) | 0;
  private readonly lowMultiplier = randomInt(2 ** 32) | 1;
  private mask = 1023;
  /** Each place has the high and the low half of a hash side by side: a place is then mostly one access to memory. */
  private table = new Uint32Array(2 * (this.mask + 1));
  /** The hashes of the last values, as in the table, and their rows. */
  private readonly waiting = new Uint32Array(2 * batch);
  private readonly rows = new Float64Array(batch);
  private waitingCount = 0;

  constructor(readonly most = mostDistinctValues) {}

  /** The rows whose value has occurred before. */
  get repeated(): RowCount {
    this.lookUp();
    return this.repeatedValues;
  }

  /** Whether there were more different values than can be remembered. Then some of them may have occurred before. */
  get overflowed(): boolean {
    this.lookUp();
    return this.hasOverflowed;
  }

  add(text: string, row: number): void {
    const { length } = text;
    const { highMultiplier, lowMultiplier } = this;
    let one = this.highSeed;
    let other = this.lowSeed;
    for (let index = 0; index < length; index += 2) {
      const next = index + 1 < length ? text.charCodeAt(index + 1) : 0;
      const units = text.charCodeAt(index) | (next << 16);
      one = mixed(one, units, highMultiplier);
      other = mixed(other, units, lowMultiplier);
    }
    const high = finished(one ^ length);
    const at = this.waitingCount++;
    this.waiting[2 * at] = high;
    // 0 stands for an empty place.
    this.waiting[2 * at + 1] = finished((other ^ length) + high) || 1;
    this.rows[at] = row;
    if (this.waitingCount === batch) {
      this.lookUp();
    }
  }

  private lookUp(): void {
    while (this.size + this.waitingCount > this.mask * 0.75) {
      this.grow();
    }
    this.size += this.put(this.waiting, this.waitingCount, this.most - this.size);
    this.waitingCount = 0;
  }

  private grow(): void {
    const { table } = this;
    this.mask = this.mask * 2 + 1;
    this.table = new Uint32Array(2 * (this.mask + 1));
    this.put(table, table.length / 2, this.size);
  }

  /**
   * Puts hashes into the table, and notes those that it has.
   * @param most the largest number of new hashes
   * @returns the number of new hashes
   */
  private put(hashes: Uint32Array, count: number, most: number): number {
    const { table, mask } = this;
    let added = 0;
    for (let index = 0; index < count; index++) {
      const high = hashes[2 * index] as number;
      const low = hashes[2 * index + 1] as number;
      if (low === 0) {
        continue;
      }
      let place = low & mask;
      let found = table[2 * place + 1];
      while (found !== 0 && (found !== low || table[2 * place] !== high)) {
        place = (place + 1) & mask;
        found = table[2 * place + 1];
      }
      if (found !== 0) {
        this.repeatedValues.note(this.rows[index] as number);
      } else if (added === most) {
        this.hasOverflowed = true;
      } else {
        table[2 * place] = high;
        table[2 * place + 1] = low;
        added++;
      }
    }
    return added;
  }
}

/** One step of MurmurHash3, for two UTF-16 code units. */
function mixed(hash: number, units: number, multiplier: number): number {
  const product = Math.imul(units, multiplier);
  const rotated = Math.imul((product << 15) | (product >>> 17), 0x1b873593) ^ hash;
  return (Math.imul((rotated << 13) | (rotated >>> 19), 5) + 0xe6546b64) | 0;
}

function finished(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return (twice ^ (twice >>> 16)) >>> 0;
}
