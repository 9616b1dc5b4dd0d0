-- Rows as CSV on stdin, the run in the variable lot.
CREATE TABLE IF NOT EXISTS book_rows (lot VARCHAR, sku VARCHAR, title VARCHAR, price DECIMAL(12, 2), stock BIGINT);
CREATE TABLE IF NOT EXISTS books (sku VARCHAR PRIMARY KEY, title VARCHAR, price DECIMAL(12, 2), stock BIGINT);
BEGIN;
CREATE TEMP TABLE new_rows AS
  SELECT sku, title, price::DECIMAL(12, 2) AS price, stock::BIGINT AS stock
  FROM read_csv('/dev/stdin', header = true, all_varchar = true, delim = ',', quote = '"', escape = '"');
DELETE FROM book_rows WHERE lot = getvariable('lot');
INSERT INTO book_rows SELECT getvariable('lot'), * FROM new_rows;
INSERT INTO books SELECT * FROM new_rows
  ON CONFLICT (sku) DO UPDATE SET title = excluded.title, price = excluded.price, stock = excluded.stock;
COMMIT;
