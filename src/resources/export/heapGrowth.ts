import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Bytes by which the memory may grow between two collections. The responses of an export lie outside of V8's heap, which by default lets 64 MB of
 * them lie unused. Half of that takes no more time that can be measured.
 */
const mostUnused = 32 * 1024 * 1024;

/** Fewer bytes of rows fit into the memory that a process has anyway. */
const manyBytes = 8 * 1024 * 1024;

/** 0 stands for V8's own choice. */
const byDefault = 0;

/** Large exports in progress. All of a process share one heap. */
let running = 0;

/** Lets the heap of the process grow slowly while an export is large. */
export class SlowHeapGrowth {
  private isOn = false;

  /** @param bytes rows read so far */
  passed(bytes: number): void {
    if (this.isOn || bytes < manyBytes) {
      return;
    }
    this.isOn = true;
    if (running++ === 0) {
      setGrowth(Math.ceil((100 * mostUnused) / process.memoryUsage().heapUsed));
      // V8 reads the option at the end of a collection.
      collect();
    }
  }

  end(): void {
    if (this.isOn && --running === 0) {
      setGrowth(byDefault);
    }
    this.isOn = false;
  }
}

function setGrowth(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}

function collect(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  setFlagsFromString("--no-expose-gc");
}
