-- Rows as CSV on stdin, the run in the parameter @lot.
CREATE TABLE IF NOT EXISTS book_rows (lot TEXT, sku TEXT, title TEXT, price REAL, stock INTEGER) STRICT;
CREATE TABLE IF NOT EXISTS books (sku TEXT PRIMARY KEY, title TEXT, price REAL, stock INTEGER) STRICT;
BEGIN IMMEDIATE;
-- A table whose columns have the names of the header, all of text.
.import --csv --schema temp /dev/stdin new_rows
CREATE TEMP VIEW new_values AS
  SELECT n.sku, n.title, nullif(n.price, '') AS price, nullif(n.stock, '') AS stock FROM new_rows AS n;
DELETE FROM book_rows WHERE lot = @lot;
INSERT INTO book_rows SELECT @lot, * FROM new_values;
INSERT INTO books SELECT * FROM new_values WHERE true
  ON CONFLICT (sku) DO UPDATE SET title = excluded.title, price = excluded.price, stock = excluded.stock;
COMMIT;
