#!/usr/bin/env bash
# fastparquet 2026.9.0 (PyPI) with pandas 3.1.1 and a file of pyarrow 25.0.1.
#
# Seen: a DATE before 1677-09-22 or after 2262-04-10 is read as another date, without an error or a warning: 9999-12-31 becomes 1816-03-29, and
# 1582-10-04 becomes 2167-04-23. Their nanoseconds do not fit into 64 bits. pyarrow, DuckDB and polars read these dates right.
#
# Needs Python 3.11 or later with pip. Exits with 0 as long as fastparquet behaves like this.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check fastparquet==2026.9.0 pandas==3.1.1 pyarrow==25.0.1
cd "$folder"
cat > read.py <<'PY'
import datetime
import fastparquet
import pyarrow
import pyarrow.parquet

days = [datetime.date(2026, 11, 21), datetime.date(9999, 12, 31), datetime.date(1582, 10, 4)]
pyarrow.parquet.write_table(pyarrow.table({"day": days}), "days.parquet")
found = fastparquet.ParquetFile("days.parquet").to_pandas()["day"]
print("pyarrow:", *pyarrow.parquet.read_table("days.parquet")["day"].to_pylist(), end="; ")
print("fastparquet:", *(str(day)[:10] for day in found))
PY
seen=$(venv/bin/python -W error::RuntimeWarning -W error::UserWarning read.py)
echo "$seen"
test "$seen" = "pyarrow: 2026-11-21 9999-12-31 1582-10-04; fastparquet: 2026-11-21 1816-03-29 2167-04-23"
