-- load.sql
BEGIN;
CREATE TEMP TABLE new_rows (title text, price text);
\copy new_rows FROM pstdin WITH (FORMAT csv, HEADER)
DELETE FROM books WHERE lot = :'lot';
INSERT INTO books (lot, title, price) SELECT :'lot', title, price::numeric FROM new_rows;
COMMIT;
