interface Entry<V> {
  readonly number: number;
  /** Absent: not read from the state file yet. */
  value?: V;
}

/** A change since the last save. */
interface Unsaved {
  /** Undefined: the record is removed. */
  key: string | undefined;
  /** Later changes have higher numbers. */
  change: number;
}

/** A record of the state file. */
export interface StoredKey {
  number: number;
  key: string;
}

/** Reads a record of the state file. @throws StateFileError. */
export type ReadRecord<V> = (number: number, key: string) => V;

/**
 * Records by their id, in the order of their creation. Each record has a number, which is its key in the state file. Records of a state file
 * are read at their first use, so that a start does not read all of them. Changes are collected for the next save.
 */
export class RecordMap<V extends object> {
  private readonly entries = new Map<string, Entry<V>>();
  private lastNumber = 0;
  private read: ReadRecord<V> | undefined;
  /** By the number of the record. Absent: nothing saves them. */
  private changes: Map<number, Unsaved> | undefined;
  private lastChange = 0;
  /** The last change that a save in progress has written or will write. */
  private lastTaken = 0;
  private readonly watches = new Set<Set<string>>();

  /** Takes over the records of a state file, and collects changes from now on. */
  attach(stored: readonly StoredKey[], read: ReadRecord<V>): void {
    this.read = read;
    for (const { number, key } of stored) {
      this.entries.set(key, { number });
      this.lastNumber = Math.max(this.lastNumber, number);
    }
    this.changes = new Map();
  }

  /** Collects changes for a new state file. All records are changes. */
  collect(): void {
    this.changes = new Map();
    for (const [key, { number }] of this.entries) this.noteChange(number, key);
  }

  /** Number of records that changed after the last save. */
  get unsavedCount(): number {
    return this.changes?.size ?? 0;
  }

  /** The records that changed after the last save, without those that are taken. The value of a removed one is undefined. */
  *unsaved(): Generator<[number, V | undefined]> {
    for (const [number, { key, change }] of this.changes ?? []) {
      if (change > this.lastTaken) yield [number, key === undefined ? undefined : this.get(key)];
    }
  }

  /** The same, for a save that writes them while others change. From now on, `unsaved` has only those that change after this. */
  takeUnsaved(): [number, V | undefined][] {
    const taken = [...this.unsaved()];
    this.lastTaken = this.lastChange;
    return taken;
  }

  /** Called after a failed save. */
  notSaved(): void {
    this.lastTaken = 0;
  }

  /** Called after a save. */
  saved(): void {
    this.changes?.clear();
  }

  /** A set to which the key of each record is added that changes from now on, until `unwatch`. */
  watch(): Set<string> {
    const changed = new Set<string>();
    this.watches.add(changed);
    return changed;
  }

  unwatch(changed: Set<string>): void {
    this.watches.delete(changed);
  }

  get size(): number {
    return this.entries.size;
  }

  has(key: string): boolean {
    return this.entries.has(key);
  }

  /** The number of a record in the state file. */
  numberOf(key: string): number | undefined {
    return this.entries.get(key)?.number;
  }

  /** Whether a record has been used in this process, so that it can differ from the state file. */
  isRead(key: string): boolean {
    return this.entries.get(key)?.value !== undefined;
  }

  get(key: string): V | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    entry.value ??= this.read?.(entry.number, key);
    return entry.value;
  }

  set(key: string, value: V): void {
    const entry = this.entries.get(key);
    if (entry !== undefined) entry.value = value;
    else this.entries.set(key, { number: ++this.lastNumber, value });
    this.changed(key);
  }

  /** Notes that the value of a record has changed. */
  changed(key: string): void {
    const entry = this.entries.get(key);
    if (entry !== undefined) this.noteChange(entry.number, key);
    for (const changed of this.watches) changed.add(key);
  }

  delete(key: string): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.entries.delete(key);
    this.noteChange(entry.number, undefined);
    for (const changed of this.watches) changed.add(key);
  }

  clear(): void {
    for (const { number } of this.entries.values()) this.noteChange(number, undefined);
    this.entries.clear();
  }

  private noteChange(number: number, key: string | undefined): void {
    this.changes?.set(number, { key, change: ++this.lastChange });
  }

  keys(): IterableIterator<string> {
    return this.entries.keys();
  }

  *values(): Generator<V> {
    for (const key of this.entries.keys()) {
      const value = this.get(key);
      if (value !== undefined) yield value;
    }
  }
}
