import { ObjectStore } from "../../../scripts/objectStore/objectStore";
import { storeVariables } from "../../../test/resources/export/s3/storeKinds";
import type { Bench } from "../../figure";
import { withFinishedRun } from "../../stage/finishedRun";
import { exportOnce, exportOnEngine, memoryGoal, ratio, rows } from "./exportRows";

const bucket = "rows-bucket";

/** The store runs on the same machine. */
export const exportS3: Bench = {
  name: "export-s3",
  summary: "the export of 1,000,000 rows to an S3-compatible store on the same machine, against the same to a file",
  run: () =>
    withFinishedRun(rows, async (run) => {
      const store = await ObjectStore.start();
      try {
        store.addBucket(bucket);
        const env = storeVariables(store, "/nowhere");
        const toFile = await exportOnce(run, "ndjson");
        const toS3 = await exportOnce(run, "ndjson", { path: `s3://${bucket}/rows.ndjson` }, env);
        const { hostMegabytes } = await exportOnEngine("ndjson", `s3://${bucket}/engine.ndjson`, env);
        return [
          { name: "to a file", value: rows / toFile.seconds, unit: "rows/s" },
          { name: "to S3", value: rows / toS3.seconds, unit: "rows/s" },
          { name: "to S3: memory", value: toS3.peakBytes / 1e6, unit: "MB", goal: memoryGoal },
          { name: "to S3: memory of the provider host", value: hostMegabytes, unit: "MB", goal: memoryGoal },
          ratio("to S3 against a file", toFile.seconds / toS3.seconds, 0.4),
        ];
      } finally {
        await store.stop();
      }
    }),
};
