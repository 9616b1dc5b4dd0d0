import { spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { join } from "node:path";
import type { Bench, Figure } from "../../figure";
import type { AloneResult } from "../../stage/alone";
import { withFinishedRun } from "../../stage/finishedRun";
import { exportOnce, exportOnEngine, figuresOfRun, memoryGoal, ratio, rows } from "./exportRows";

/** Compressed exports and Parquet without the engine, against plain rows and against gzip alone. */
export const exportFormats: Bench = {
  name: "export-formats",
  summary: "the export of 1,000,000 rows with gzip, with zstd and as Parquet, and gzip -6 alone on the same rows",
  run: () =>
    withFinishedRun(rows, async (run) => {
      const plain = await exportOnce(run, "ndjson");
      const alone = await gzipAlone(join(run.folder, "rows.ndjson"));
      const gzip = await exportOnce(run, "ndjson", { compression: "gzip", path: "rows.ndjson.gz" });
      const zstd = await exportOnce(run, "ndjson", { compression: "zstd", path: "rows.ndjson.zst" });
      const parquet = await exportOnce(run, "parquet");
      const snappy = await exportOnce(run, "parquet", { compression: "snappy", path: "snappy.parquet" });
      return [
        ...figuresOf("gzip", gzip),
        { name: "gzip -6 alone", value: rows / alone, unit: "rows/s" },
        { name: "gzip, the whole export, against gzip -6 alone", value: alone / gzip.seconds, unit: "x" },
        // An export also reads the rows, which gzip alone gets from a file.
        ratio(
          "gzip, without the time to read the rows, against gzip -6 alone",
          alone / (gzip.seconds - plain.seconds),
          0.6,
        ),
        ...figuresOf("zstd", zstd),
        ...figuresOf("parquet", parquet),
        ...figuresOf("parquet with snappy", snappy),
      ];
    }),
};

/** Parquet needs the most memory. */
export const exportParquet: Bench = {
  name: "export-parquet",
  summary: "a run of 1,000,000 rows exported as Parquet, on the engine",
  run: async () => figuresOfRun("parquet", await exportOnEngine("parquet")),
};

function figuresOf(name: string, { seconds, peakBytes }: AloneResult): Figure[] {
  return [
    { name: `${name}: memory`, value: peakBytes / 1e6, unit: "MB", goal: memoryGoal },
    { name: `${name}: speed`, value: rows / seconds, unit: "rows/s" },
  ];
}

/** Seconds. */
async function gzipAlone(path: string): Promise<number> {
  const begin = performance.now();
  const child = spawn("gzip", ["-6", "-c"], { stdio: [openSync(path, "r"), "ignore", "inherit"] });
  const [code] = (await once(child, "close")) as [number];
  if (code !== 0) {
    throw new Error(`gzip ended with ${code}`);
  }
  return (performance.now() - begin) / 1000;
}
