import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions } from "playwright-core";

/** Opens a file in a browser tab. The problems are errors, messages, dialogs and requests for anything else. */
export async function openFile(browser: Browser, file: string, context: BrowserContextOptions = {}) {
  const tab = await (await browser.newContext(context)).newPage();
  const problems: string[] = [];
  tab.on("pageerror", (error) => problems.push(`error: ${error.message}`));
  tab.on("console", (message) => problems.push(`console: ${message.text()}`));
  tab.on("dialog", (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  const url = pathToFileURL(file).href;
  tab.on("request", (request) => {
    if (request.url() !== url) problems.push(`request: ${request.url()}`);
  });
  await tab.goto(url);
  return { tab, problems };
}
