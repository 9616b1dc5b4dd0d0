/** A row that is longer is refused: DuckDB has a buffer of twice this size for each thread. */
export const longestRow = 32 * 1024 * 1024;

/** The content of a file is no rows. The message shows no value. */
export class Damaged extends Error {}
