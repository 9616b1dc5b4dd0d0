import type { ColumnType } from "./format";
import type { RowTable } from "./rowTable";

/** The parts of an XLSX file with one sheet (ECMA-376). */

const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const relationships = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const types = "application/vnd.openxmlformats-officedocument.spreadsheetml";
const xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

export const sheetName = "xl/worksheets/sheet1.xml";

/** The formats of numbers: text, all digits of an integer, and dates in the order that is the same everywhere. */
const numberFormats = { header: 49, string: 49, int64: 1, double: 0, boolean: 0, date: 164, timestamp: 165 } as const;

/** The cell styles by their numbers in the file. The first one is that of cells without one. */
export const styles = Object.fromEntries(
  Object.keys(numberFormats).map((name, index) => [name, index + 1]),
) as Readonly<Record<ColumnType | "header", number>>;

/** Everything but the sheet. */
export function fixed(table: RowTable): Readonly<Record<string, string>> {
  const formats = Object.entries(numberFormats).map(
    ([name, id]) =>
      `<xf numFmtId="${id}" fontId="${name === "header" ? 1 : 0}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>`,
  );
  const font = '<sz val="11"/><name val="Calibri"/><family val="2"/>';
  const usual = '<xf numFmtId="0" fontId="0" fillId="0" borderId="0"';
  return {
    "[Content_Types].xml": `${xml}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${types}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${types}.styles+xml"/><Override PartName="/${sheetName}" ContentType="${types}.worksheet+xml"/></Types>`,
    "_rels/.rels": `${xml}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${relationships}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    "xl/_rels/workbook.xml.rels": `${xml}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${relationships}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${relationships}/styles" Target="styles.xml"/></Relationships>`,
    "xl/workbook.xml": `${xml}<workbook xmlns="${main}" xmlns:r="${relationships}"><sheets><sheet name="Rows" sheetId="1" r:id="rId1"/></sheets>${
      table.names.length === 0
        ? ""
        : `<definedNames><definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">Rows!${areaOf(table, "$")}</definedName></definedNames>`
    }</workbook>`,
    "xl/styles.xml": `${xml}<styleSheet xmlns="${main}"><numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="2"><font>${font}</font><font><b/>${font}</font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1">${usual}/></cellStyleXfs><cellXfs count="${formats.length + 1}">${usual} xfId="0"/>${formats.join("")}</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`,
  };
}

const narrowest = 8;
const widest = 60;

/** The sheet before its rows. The header stays in view. */
export function sheetBegin(table: RowTable, widths: readonly number[]): string {
  const columns = widths.map(
    (width, index) =>
      `<col min="${index + 1}" max="${index + 1}" width="${Math.min(Math.max(width + 3, narrowest), widest)}" customWidth="1"/>`,
  );
  return `${xml}<worksheet xmlns="${main}">${
    table.names.length === 0 ? "" : `<dimension ref="${areaOf(table)}"/>`
  }<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>${
    columns.length === 0 ? "" : `<cols>${columns.join("")}</cols>`
  }<sheetData>`;
}

/** Excel warns of digits in cells of text, unless it is told that they are meant so. */
export function sheetEnd(table: RowTable): string {
  const area = areaOf(table);
  const marks = `<autoFilter ref="${area}"/><ignoredErrors><ignoredError sqref="${area}" numberStoredAsText="1"/></ignoredErrors>`;
  return `</sheetData>${table.names.length === 0 ? "" : marks}</worksheet>`;
}

function areaOf({ names, rowCount }: RowTable, fixed: "" | "$" = ""): string {
  return `${fixed}A${fixed}1:${fixed}${lettersOf(names.length - 1)}${fixed}${rowCount + 1}`;
}

export function row(number: number, cells: readonly string[]): string {
  return `<row r="${number}">${cells.join("")}</row>`;
}

/** A row without a value. Readers leave out rows without a cell, so it has one with an empty text. */
export function blankRow(letters: string, number: number): string {
  return row(number, [cell(`${letters}${number}`, styles.string, content.string(""))]);
}

/** @param content as `content` has it: the attributes that say the kind, and the elements */
export function cell(place: string, style: number, content: string): string {
  return `<c r="${place}" s="${style}"${content}</c>`;
}

/** `A` for 0, `AA` for 26. */
export function lettersOf(index: number): string {
  const before = Math.floor(index / 26) - 1;
  return `${before < 0 ? "" : lettersOf(before)}${String.fromCharCode(65 + (index % 26))}`;
}

/** 15 digits: Excel changes the others to zeros when somebody edits the cell. */
const mostInteger = 999_999_999_999_999n;

const microsecondsPerDay = 86_400_000_000;

/** What a cell contains, from a value as Parquet has it. Undefined if Excel cannot hold it. */
export const content = {
  string: (text: string): string => ` t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is>`,
  int64: (value: bigint) => (value > mostInteger || value < -mostInteger ? undefined : number(value)),
  double: (value: number) => number(value),
  boolean: (value: boolean) => ` t="b"><v>${value ? 1 : 0}</v>`,
  date: (days: number) => serial(days),
  /** A moment in UTC. Excel knows no time zones, and parts of milliseconds would be rounded. */
  timestamp: (microseconds: bigint) =>
    microseconds % 1000n === 0n ? serial(Number(microseconds) / microsecondsPerDay) : undefined,
};

function number(value: number | bigint): string {
  return `><v>${value}</v>`;
}

/** Days since the end of 1899, as Excel counts from March 1900 on. Before, it counts a day that did not exist. */
function serial(days: number): string | undefined {
  const first = 61;
  const afterLast = 2_958_466;
  const counted = days + 25_569;
  return counted >= first && counted < afterLast ? number(counted) : undefined;
}

/** The characters that XML does not allow, and the line break that it changes. */
const noXml = "\\u0000-\\u0008\\u000b-\\u001f\\ufffe\\uffff";
const noXmlCharacters = new RegExp(`[${noXml}]`, "g");
/** What would be read as a code, also one that ends with that of the next character. */
const likeCodes = new RegExp(`_(?=x[\\dA-Fa-f]{4}[_${noXml}])`, "g");

/**
 * The text for a cell. A character that XML does not allow becomes its code, such as `_x0007_`. If the text has such a
 * code itself, its underscore is escaped, so that readers show the code.
 */
function escaped(text: string): string {
  return text
    .replace(likeCodes, "_x005F_")
    .replace(/[&<>]/g, (each) => (each === "&" ? "&amp;" : each === "<" ? "&lt;" : "&gt;"))
    .replace(noXmlCharacters, (each) => `_x${each.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`);
}
