-- Rows as NDJSON on stdin, the run in the variable lot. With -f, STDIN would be the rest of this script, not pstdin.
CREATE TABLE IF NOT EXISTS book_rows (lot text, sku text, title text, price numeric, stock bigint);
CREATE TABLE IF NOT EXISTS books (sku text PRIMARY KEY, title text, price numeric, stock bigint);
BEGIN;
-- No text of a row has these characters as they are: JSON escapes them.
CREATE TEMP TABLE lines (line json);
\copy lines FROM pstdin WITH (FORMAT csv, QUOTE E'\x01', DELIMITER E'\x02')
CREATE TEMP VIEW new_rows AS
  SELECT line->>'sku' AS sku, line->>'title' AS title,
    nullif(line->>'price', '')::numeric AS price, nullif(line->>'stock', '')::bigint AS stock
  FROM lines;
DELETE FROM book_rows WHERE lot = :'lot';
INSERT INTO book_rows SELECT :'lot', * FROM new_rows;
INSERT INTO books SELECT * FROM new_rows
  ON CONFLICT (sku) DO UPDATE SET title = excluded.title, price = excluded.price, stock = excluded.stock;
COMMIT;
