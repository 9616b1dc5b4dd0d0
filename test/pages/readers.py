"""Evaluates expressions that read rows, and prints what each returns as JSON: [reader, rows or the error]."""

import importlib
import json
import sys

names = ["chdb", "daft", "datafusion", "duckdb", "pandas", "polars"]
for name in [*names, "pyarrow", "pyarrow.csv", "pyarrow.json", "pyarrow.parquet"]:
    try:
        # One that this machine cannot have is not asked for.
        globals()[name.split(".")[0]] = importlib.import_module(name.split(".")[0])
        importlib.import_module(name)
    except ModuleNotFoundError:
        pass


class Spark:
    """Starts Spark when it is needed: it takes seconds."""

    @property
    def read(self):
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
        session = builder.config("spark.driver.bindAddress", "127.0.0.1").getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        return session.read


spark = Spark()


def rows_of(reader, expression):
    if reader == "DuckDB":
        result = duckdb.sql(expression)
        return [dict(zip(result.columns, row)) for row in result.fetchall()]
    if reader == "ClickHouse":
        settings = "" if "SETTINGS" in expression else " SETTINGS output_format_json_quote_64bit_integers = 0"
        return [json.loads(line) for line in chdb.query(expression + settings, "JSONEachRow").data().splitlines()]
    value = eval(expression)
    if reader == "pandas":
        return json.loads(value.to_json(orient="records"))
    if reader == "polars":
        return value.to_dicts()
    if reader == "Spark":
        return [row.asDict(True) for row in value.collect()]
    return value.to_pylist()


for reader, expression in json.load(sys.stdin):
    try:
        found = rows_of(reader, expression)
    except Exception as error:
        found = str(error)
    print(json.dumps([reader, found], default=str), flush=True)
