-- Rows as NDJSON on stdin, the run in the variable @lot.
CREATE TABLE IF NOT EXISTS book_rows (lot varchar(40), sku varchar(100), title text, price decimal(12,2), stock bigint, KEY (lot));
CREATE TABLE IF NOT EXISTS books (sku varchar(100) PRIMARY KEY, title text, price decimal(12,2), stock bigint);
CREATE TEMPORARY TABLE new_lines (line longtext) CHARACTER SET utf8mb4;
-- With FIELDS ENCLOSED BY, the word NULL would become NULL. Without ESCAPED BY '', backslashes would be lost.
LOAD DATA LOCAL INFILE '/dev/stdin' INTO TABLE new_lines CHARACTER SET utf8mb4
  FIELDS TERMINATED BY '\x02' ENCLOSED BY '' ESCAPED BY '' LINES TERMINATED BY '\n';
CREATE TEMPORARY TABLE new_rows AS
  SELECT json_value(line, '$.sku') AS sku, json_value(line, '$.title') AS title,
    nullif(json_value(line, '$.price'), '') AS price, nullif(json_value(line, '$.stock'), '') AS stock
  FROM new_lines;
START TRANSACTION;
DELETE FROM book_rows WHERE lot = @lot;
INSERT INTO book_rows SELECT @lot, new_rows.* FROM new_rows;
INSERT INTO books SELECT * FROM new_rows
  ON DUPLICATE KEY UPDATE title = value(title), price = value(price), stock = value(stock);
COMMIT;
