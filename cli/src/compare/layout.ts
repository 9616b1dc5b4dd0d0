import { mostColumns } from "./reading/reading";

/** How the tables of the sides have the cells of their rows. All values are text. */
export interface Layout {
  /**
   * The columns of a table, read from a file of JSON.
   * @param source the arguments of `read_json`, without `columns`
   */
  read(source: string): string;
  /** A cell of a row: an expression over one table. */
  cell(field: string): string;
  /** The fields of a row, and their values: two expressions that are lists. */
  readonly fields: string;
  readonly values: string;
  /** Queries of `field`, `v` and `n`, which is the number of rows with this value. */
  counted(table: string, fields: readonly string[]): readonly string[];
  /**
   * A query of `base_row`, `head_row` and `field` of the cells that differ.
   * @param pairs a query of the numbers of rows that belong together, as `base_row` and `head_row`
   */
  changed(pairs: string, fields: readonly string[]): string;
}

/**
 * Columns need half of the time. Maps have any names, and take no time for empty cells.
 * @param known the fields of each side, undefined if they are not known
 */
export function layoutOf(known: readonly (readonly string[] | undefined)[]): Layout {
  const names = [...new Set(known.flatMap((fields) => fields ?? []))];
  // DuckDB takes names that differ only in case for one.
  const areColumns =
    known.every((fields) => fields !== undefined) &&
    names.length > 0 &&
    names.length <= mostColumns &&
    new Set(names.map((name) => name.toLowerCase())).size === names.length &&
    names.every((name) => /^[^\p{C}]+$/u.test(name));
  return areColumns ? new Columns(names) : maps;
}

class Columns implements Layout {
  readonly fields: string;
  readonly values: string;
  private readonly columns: ReadonlyMap<string, string>;

  constructor(names: readonly string[]) {
    this.columns = new Map(names.map((name, index) => [name, `c${index}`]));
    this.fields = `[${names.map(literal).join(", ")}]`;
    this.values = `[${[...this.columns.values()].join(", ")}]`;
  }

  read(source: string): string {
    const names = [...this.columns];
    const types = names.map(([name]) => `${literal(name)}: 'VARCHAR'`);
    return `SELECT ${names.map(([name, column]) => `"${name.replaceAll('"', '""')}" AS ${column}`).join(", ")}
      FROM read_json(${source}, records = 'true', columns = {${types.join(", ")}})`;
  }

  cell(field: string): string {
    // A key can name a field of no side, if no side has any row.
    return this.columns.get(field) ?? "NULL::VARCHAR";
  }

  counted(table: string, fields: readonly string[]): readonly string[] {
    return fields.map((field) => {
      const cell = this.cell(field);
      return `SELECT ${literal(field)} AS field, coalesce(${cell}, '') AS v, count(*) AS n FROM ${table} GROUP BY ${cell}`;
    });
  }

  changed(pairs: string, fields: readonly string[]): string {
    const cells = fields.map((field) => ({ field: literal(field), cell: this.cell(field) }));
    const differs = cells.map(({ cell }) => `coalesce(base.${cell}, '') <> coalesce(head.${cell}, '')`);
    const changed = cells.map(({ field }, index) => `CASE WHEN ${differs[index]} THEN ${field} END`);
    return `SELECT base_row, head_row, field FROM (
      SELECT base_row, head_row, unnest([${changed.join(", ")}]::VARCHAR[]) AS field
      FROM (${pairs}) JOIN base ON base.rowid = base_row JOIN head ON head.rowid = head_row
      WHERE ${differs.join(" OR ") || "false"})
    WHERE field IS NOT NULL`;
  }
}

/** A map from the names of fields to text. So no name becomes a column, which DuckDB would rename. */
export const maps: Layout = {
  fields: "map_keys(cells)",
  values: "map_values(cells)",
  read(source) {
    return `SELECT CASE WHEN list_unique(map_keys(cells)) = cardinality(cells) THEN cells END AS cells
      FROM ${rowsAsMaps(source)}`;
  },
  cell(field) {
    return `cells[${literal(field)}]`;
  },
  counted(table) {
    return [
      `SELECT field, v, count(*) AS n
      FROM (SELECT unnest(map_keys(cells)) AS field, coalesce(unnest(map_values(cells)), '') AS v FROM ${table})
      GROUP BY field, v`,
    ];
  },
  changed(pairs, fields) {
    return `WITH different AS MATERIALIZED (
      SELECT base_row, head_row, base.cells AS base, head.cells AS head
      FROM (${pairs}) JOIN base ON base.rowid = base_row JOIN head ON head.rowid = head_row
      WHERE base.cells IS DISTINCT FROM head.cells),
    old AS (SELECT base_row, head_row, unnest(map_keys(base)) AS field, unnest(map_values(base)) AS old FROM different),
    now AS (SELECT base_row, head_row, unnest(map_keys(head)) AS field, unnest(map_values(head)) AS now FROM different)
    SELECT base_row, head_row, field FROM old FULL JOIN now USING (base_row, head_row, field)
    WHERE coalesce(old, '') <> coalesce(now, '') AND field IN (SELECT unnest([${fields.map(literal).join(", ")}]::VARCHAR[]))`;
  },
};

/** A table of one column, `cells`. */
export function rowsAsMaps(source: string): string {
  return `read_json(${source}, records = 'false', columns = {cells: 'MAP(VARCHAR, VARCHAR)'})`;
}

/** A text as an expression. NUL would end the statement. */
function literal(text: string): string {
  return /^\P{C}*$/u.test(text)
    ? `'${text.replaceAll("'", "''")}'`
    : `decode(unhex('${Buffer.from(text).toString("hex")}'))`;
}
