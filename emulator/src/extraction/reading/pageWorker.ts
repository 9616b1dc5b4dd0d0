import { parentPort } from "node:worker_threads";
import { messageOf } from "../../errors";
import type { PageContent, PageJob } from "./readPage";
import { readPage } from "./readPage";

/** What a worker thread sends: first that it is ready, then one reply for each job. */
export type WorkerMessage = { ready: true } | { content: PageContent } | { error: string };

function send(message: WorkerMessage): void {
  parentPort?.postMessage(message);
}

function describe(error: unknown): WorkerMessage {
  return { error: messageOf(error) };
}

parentPort?.on("message", (job: PageJob) => {
  readPage(job)
    .then((content) => ({ content }), describe)
    .then(send);
});
// The parser is loaded before the time of the first page begins.
void import("cheerio").then(() => send({ ready: true }));
