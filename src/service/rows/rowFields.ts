/** Members that are remembered. Rows of a task have fewer, unless their names are values. */
const mostMembers = 200;

/** A member of rows. */
export interface Member {
  /** Its name as in the bytes of a row, with the quotation marks. */
  readonly name: Uint8Array;
  /** The index of the field, or -1 if its values are not wanted. */
  readonly field: number;
  /** The member that came after this one the last time. */
  next: Member | undefined;
}

/**
 * The fields of rows whose values a read finds. Learns the order of the members: rows of a task have the same members in the same order, or
 * nearly, and to see that a member is the expected one takes no longer than to read its name.
 */
export class RowFields {
  /** Number of fields. */
  readonly count: number;
  /** Stands before the first member of each row. */
  readonly start: Member = { name: new Uint8Array(), field: -1, next: undefined };
  private readonly indexes: ReadonlyMap<string, number>;
  /** By the name as in the bytes of a row. */
  private readonly members = new Map<string, Member>();

  /** @param fields the names of the fields, each once */
  constructor(fields: readonly string[]) {
    this.count = fields.length;
    this.indexes = new Map(fields.map((name, index) => [name, index]));
  }

  /** The names of fields that rows have, also of other fields; only the first ones, if there are many. */
  get names(): string[] {
    return [...new Set([...this.members.keys()].map(textOf))];
  }

  /**
   * Finds the member with this name, and expects it after `before` from now on.
   * @param name as in the bytes of a row, with the quotation marks
   */
  learn(before: Member, name: Buffer): Member {
    const key = name.toString("latin1");
    const member = this.members.get(key) ?? this.add(key, name);
    before.next = member;
    return member;
  }

  private add(key: string, name: Buffer): Member {
    const field = this.indexes.get(textOf(key)) ?? -1;
    const member: Member = { name: Uint8Array.from(name), field, next: undefined };
    if (this.members.size < mostMembers) {
      this.members.set(key, member);
    }
    return member;
  }
}

/** The text of a JSON string of UTF-8 that was read as Latin-1. */
function textOf(json: string): string {
  return JSON.parse(Buffer.from(json, "latin1").toString("utf8")) as string;
}
