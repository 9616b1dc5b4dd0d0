import { parentPort } from "node:worker_threads";
import { messageOf } from "../../errors";
import type { RobotsAnswer, RobotsJob } from "./checkRobots";
import { checkRobots } from "./checkRobots";
import type { PageContent, PageJob } from "./readPage";
import { readPage } from "./readPage";

/** What a worker thread does. */
export type WorkerJob = PageJob | RobotsJob;

/** What a worker thread sends: first that it is ready, then one reply for each job. */
export type WorkerMessage = { ready: true } | { content: PageContent | RobotsAnswer } | { error: string };

function send(message: WorkerMessage): void {
  parentPort?.postMessage(message);
}

function describe(error: unknown): WorkerMessage {
  return { error: messageOf(error) };
}

parentPort?.on("message", (job: WorkerJob) => {
  const content: Promise<PageContent | RobotsAnswer> = "page" in job ? readPage(job) : checkRobots(job);
  content.then((content) => ({ content }), describe).then(send);
});
// The parser is loaded before the time of the first page begins.
void import("cheerio").then(() => send({ ready: true }));
