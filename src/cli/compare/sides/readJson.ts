import { JsonRows } from "../../../resources/export/formats/jsonRows";
import { isRecord } from "../../../service/isRecord";
import { CliError } from "../../exitCodes";
import type { Division } from "./records";
import { recordsOf } from "./records";
import type { Cells, RowTable } from "./rowTable";

type Pieces = AsyncIterable<Uint8Array>;

/** Reads one row a line. Blank lines count for nothing. */
export function readLines(pieces: Pieces, table: RowTable, name: string): AsyncGenerator<Cells[]> {
  const lines: Division<string> = {
    next(text, from) {
      const end = text.indexOf("\n", from);
      return end < 0 ? undefined : { record: text.slice(from, end), end: end + 1 };
    },
    isRest: (text) => text === "",
    advice: "",
  };
  return rowsIn(recordsOf(pieces, name, lines), table, name);
}

/** Reads a list of rows. An empty file is a list without rows. */
export function readList(pieces: Pieces, table: RowTable, name: string): AsyncGenerator<Cells[]> {
  let count = 0;
  const elements: Division<string> = {
    next(text, from) {
      const before = count === 0 ? /\s*\[\s*/y : /\s*,\s*/y;
      before.lastIndex = from;
      const begin = before.test(text) ? before.lastIndex : text.length;
      const end = text[begin] === "{" ? endOfObject(text, begin) : undefined;
      if (end === undefined) {
        return undefined;
      }
      count++;
      return { record: text.slice(begin, end), end };
    },
    isRest: (text) => (count === 0 ? /^\s*(?:\[\s*\]\s*)?$/ : /^\s*\]\s*$/).test(text),
    advice: "A .json file is one list of objects.",
  };
  return rowsIn(recordsOf(pieces, name, elements), table, name);
}

/** The index behind an object. Whether it is valid JSON is left to the parser. */
function endOfObject(text: string, begin: number): number | undefined {
  const sign = /["\\{}[\]]/g;
  sign.lastIndex = begin;
  let depth = 0;
  let isString = false;
  for (let found = sign.exec(text)?.[0]; found !== undefined; found = sign.exec(text)?.[0]) {
    if (found === "\\") {
      sign.lastIndex++;
    } else if (found === '"') {
      isString = !isString;
    } else if (!isString) {
      depth += found === "{" || found === "[" ? 1 : -1;
    }
    if (depth === 0) {
      return sign.lastIndex;
    }
  }
  return undefined;
}

async function* rowsIn(records: AsyncIterable<string[]>, table: RowTable, name: string): AsyncGenerator<Cells[]> {
  let count = 0;
  for await (const some of records) {
    yield some
      .filter((record) => /[^ \t\r]/.test(record))
      .map((record) => {
        count++;
        return cellsIn(record, table, `Row ${count} of "${name}"`);
      });
  }
}

/** @throws CliError unless the text is one JSON object */
function cellsIn(row: string, { fields, isFound }: RowTable, where: string): Cells {
  let parsed: unknown;
  try {
    parsed = JSON.parse(row);
  } catch {
    // The message of the parser shows values.
    throw new CliError(`${where} is not valid JSON. A row is one JSON object.`);
  }
  if (!isRecord(parsed)) {
    throw new CliError(`${where} is not a JSON object. A row is one JSON object.`);
  }
  const members = new JsonRows(row);
  members.nextRow();
  const cells = fields.emptyRow();
  for (let expected = 0; members.nextMember(); expected++) {
    const column = members.isNamed(fields.latinNames[expected]) ? expected : fields.columnOf(members.name);
    const { value } = members;
    if ((cells[column] ?? "") !== "" && cells[column] !== value) {
      throw new CliError(`${where} has the field "${fields.names[column]}" twice, with different values.`);
    }
    cells[column] = value;
    isFound[column] = true;
    expected = column;
  }
  return cells;
}
