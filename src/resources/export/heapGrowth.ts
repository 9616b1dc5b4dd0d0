import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { DataExportArgs } from "./model";

/**
 * Bytes by which the memory may grow between two collections. The responses of an export lie outside of V8's heap, which by default lets 64 MB of
 * them lie unused. In an export to a file, half of that takes no more time that can be measured.
 */
const mostUnused = 32 * 1024 * 1024;

/** While rows are sent, collections take time from the sending. These are fewer than with V8's own choice. */
const mostUnusedWhileSent = 48 * 1024 * 1024;

/** The values of a row group live so long that V8 keeps them until such a collection. */
const mostUnusedWithParquet = 16 * 1024 * 1024;

/** Fewer bytes of rows fit into the memory that a process has anyway. */
const manyBytes = 8 * 1024 * 1024;

/** 0 stands for V8's own choice. */
const byDefault = 0;

/** The limits of the large exports in progress. All of a process share one heap. */
const limits: number[] = [];

/** Lets the heap of the process grow slowly while an export is large. */
export class SlowHeapGrowth {
  private isOn = false;
  private readonly limit: number;

  /** @param isSent whether the rows are sent while they are read */
  constructor({ format }: Pick<DataExportArgs, "format">, isSent: boolean) {
    this.limit = format === "parquet" ? mostUnusedWithParquet : isSent ? mostUnusedWhileSent : mostUnused;
  }

  /** @param bytes rows read so far */
  passed(bytes: number): void {
    if (this.isOn || bytes < manyBytes) {
      return;
    }
    this.isOn = true;
    limits.push(this.limit);
    setGrowth();
    // V8 reads the option at the end of a collection.
    collect();
  }

  end(): void {
    if (this.isOn) {
      this.isOn = false;
      limits.splice(limits.indexOf(this.limit), 1);
      setGrowth();
    }
  }
}

function setGrowth(): void {
  const percent = limits.length === 0 ? byDefault : (100 * Math.min(...limits)) / process.memoryUsage().heapUsed;
  setFlagsFromString(`--heap-growing-percent=${Math.ceil(percent)}`);
}

function collect(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  setFlagsFromString("--no-expose-gc");
}
