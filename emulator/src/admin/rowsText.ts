import type { RowText } from "../inspect";

/** A response with longer rows has fewer of them. */
const mostCharacters = 4 * 1024 * 1024;

/** The JSON text of a part of the rows. Each row is its own text, unchanged: parsing would lose details such as a number of 20 digits. */
export function rowsText(offset: number, { total, rows }: { total: number; rows: readonly RowText[] }): string {
  const parts: string[] = [];
  let characters = 0;
  for (const { text, exported } of rows) {
    characters += text.length;
    if (parts.length > 0 && characters > mostCharacters) break;
    parts.push(`{"exported":${exported},"row":${text}}`);
  }
  return `{"total":${total},"offset":${offset},"rows":[${parts.join(",")}]}`;
}
