import { isAscii } from "node:buffer";
import { parseJson } from "../../../service/contract/json";
import { JsonRows } from "../formats/jsonRows";

/** The likely name of a field is searched among these. */
const mostNames = 200;
const noField = -1;
/** Rows are decoded in pieces: V8 gives larger strings memory of their own, which takes longer to get and to free. */
const pieceBytes = 32 * 1024;

/** Reads the values of some fields out of rows, and skips the other values: to parse whole rows takes three times as long. */
export class FieldReader {
  /** The names of fields that rows have, also of other fields. */
  readonly names = new Set<string>();
  /** By the name as in the bytes of a row. */
  private readonly fields: ReadonlyMap<string, number>;
  /** The members of a row in their order. Rows of one task have the same members in the same order, or nearly. */
  private readonly members: { name: string | undefined; field: number }[] = [];

  constructor(names: readonly string[]) {
    this.fields = new Map(names.map((name, index) => [Buffer.from(name, "utf8").toString("latin1"), index]));
  }

  /**
   * @param ndjson one row in each line
   * @returns for each field its value in each row, or undefined if the row does not have the field
   */
  read(ndjson: Buffer, count: number): unknown[][] {
    const columns = Array.from(this.fields, () => new Array<unknown>(count).fill(undefined));
    const isPlain = isAscii(ndjson);
    let row = 0;
    for (let from = 0; from < ndjson.length; ) {
      const lineBreak = ndjson.indexOf("\n", from + pieceBytes);
      const to = lineBreak < 0 ? ndjson.length : lineBreak + 1;
      for (const rows = new JsonRows(ndjson.toString("latin1", from, to)); rows.nextRow(); row++) {
        for (let place = 0; rows.nextMember(this.members[place]?.name); place++) {
          const member = this.members[place];
          const isMember = member !== undefined && (rows.isLikely || rows.isNamed(member.name));
          const field = isMember ? member.field : this.find(rows.name, place);
          const column = columns[field];
          if (column !== undefined) {
            column[row] = parsed(rows, isPlain);
          }
        }
      }
      from = to;
    }
    return columns;
  }

  private find(name: string, place: number): number {
    const field = this.fields.get(name) ?? noField;
    this.members[place] = { name: /["\\]/.test(name) ? undefined : name, field };
    if (this.names.size < mostNames) {
      this.names.add(decoded(name));
    }
    return field;
  }
}

function parsed(rows: JsonRows, isPlain: boolean): unknown {
  const { value } = rows;
  if (rows.isString) {
    return isPlain ? value : decoded(value);
  }
  return value === "" ? null : parseJson(Buffer.from(value, "latin1"));
}

/** Text of UTF-8 that was read as Latin-1. */
function decoded(text: string): string {
  return Buffer.from(text, "latin1").toString("utf8");
}
