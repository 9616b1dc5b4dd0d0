import { once } from "node:events";
import { availableParallelism } from "node:os";
import { extname, join } from "node:path";
import { Worker } from "node:worker_threads";
import type { WorkerMessage } from "./pageWorker";
import type { PageContent, PageJob } from "./readPage";

/** What the reading of one page may use. */
export interface ReadingLimits {
  /** Time in milliseconds, from the moment when a thread is free. */
  timeoutMs: number;
  /** Memory of the thread in megabytes. */
  memoryMb: number;
}

/**
 * Reads pages in worker threads, so that a page which takes long or much memory does not stop the emulator. No thread starts before the first
 * page. An idle thread does not keep the process alive.
 */
class PagePool {
  private free = Math.min(4, availableParallelism());
  private readonly waiting: (() => void)[] = [];
  private readonly idle = new Set<Worker>();

  constructor(private readonly memoryMb: number) {}

  async read(job: PageJob, timeoutMs: number, signal: AbortSignal): Promise<PageContent> {
    if (this.free > 0) this.free -= 1;
    // The turn of another page. A page whose run is stopped meanwhile gives it back at once.
    else await new Promise<void>((resolve) => void this.waiting.push(resolve));
    try {
      signal.throwIfAborted();
      const worker = await this.takeWorker();
      if (!signal.aborted) return await this.readIn(worker, job, timeoutMs, signal);
      this.keep(worker);
      throw signal.reason;
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.free += 1;
      else next();
    }
  }

  private async takeWorker(): Promise<Worker> {
    const [idle] = this.idle;
    if (idle !== undefined) {
      this.idle.delete(idle);
      return idle;
    }
    const worker = startWorker(this.memoryMb);
    // An error without a listener would end the process, also when the thread is idle or ending.
    worker.on("error", () => undefined).once("exit", () => this.idle.delete(worker));
    // Rejects with an error of the thread.
    await once(worker, "message");
    return worker;
  }

  private keep(worker: Worker): void {
    worker.unref();
    this.idle.add(worker);
  }

  /** Ends the thread unless it has read the page: nothing else can stop a parser or a selector. */
  private readIn(worker: Worker, job: PageJob, timeoutMs: number, signal: AbortSignal): Promise<PageContent> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => end(new Error(`reading it took more than ${timeoutMs} ms`)), timeoutMs);
      const aborted = () => end(signal.reason);
      const failed = (error: unknown) => end(this.explain(error));
      const exited = () => end(new Error("the thread that read it ended"));
      const settle = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", aborted);
        worker.removeListener("error", failed).removeListener("exit", exited);
      };
      const end = (reason: unknown) => {
        settle();
        void worker.terminate();
        reject(reason);
      };
      worker.once("message", (reply: WorkerMessage) => {
        settle();
        this.keep(worker);
        if ("content" in reply) resolve(reply.content);
        else reject(new Error("error" in reply ? reply.error : "the thread that read it sent no content"));
      });
      worker.on("error", failed).on("exit", exited);
      signal.addEventListener("abort", aborted, { once: true });
      worker.ref();
      worker.postMessage(job);
    });
  }

  private explain(error: unknown): unknown {
    const outOfMemory = error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
    return outOfMemory ? new Error(`reading it took more than ${this.memoryMb} MB of memory`) : error;
  }
}

function startWorker(memoryMb: number): Worker {
  const extension = extname(__filename);
  return new Worker(join(__dirname, `pageWorker${extension}`), {
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    // A thread does not inherit the loader of TypeScript sources.
    ...(extension === ".ts" ? { execArgv: ["--require", "tsx/cjs"] } : {}),
  });
}

/** The emulators of a process share the threads. */
const pools = new Map<number, PagePool>();

/** @throws Error with the reason why the page could not be read. */
export function readInWorker(job: PageJob, limits: ReadingLimits, signal: AbortSignal): Promise<PageContent> {
  return poolOf(limits).read(job, limits.timeoutMs, signal);
}

function poolOf({ memoryMb }: ReadingLimits): PagePool {
  const pool = pools.get(memoryMb) ?? new PagePool(memoryMb);
  pools.set(memoryMb, pool);
  return pool;
}
