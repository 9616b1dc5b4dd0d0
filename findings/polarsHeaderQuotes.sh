#!/usr/bin/env bash
# polars 2.1.0 (PyPI).
#
# Seen: read_csv keeps the two marks that stand for one quotation mark in a cell of the header, as in 24"" TV for 24" TV. Other cells are right. So polars does not
# read a CSV as it has written it. The csv module of Python reads the header right.
#
# Needs Python 3.11 or later with pip. Exits with 0 as long as polars behaves like this.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check polars==2.1.0
cd "$folder"
cat > read.py <<'PY'
import csv
import polars

polars.DataFrame({'24" TV': ['a"b'], "plain": ["c"]}).write_csv("rows.csv")
frame = polars.read_csv("rows.csv")
with open("rows.csv", newline="") as file:
    print("csv:", *next(csv.reader(file)), end="; ")
print("polars:", *frame.columns, *frame.row(0))
PY
seen=$(venv/bin/python read.py)
echo "$seen"
test "$seen" = 'csv: 24" TV plain; polars: 24"" TV plain a"b c'
