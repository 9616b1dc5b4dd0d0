import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { chromium } from "playwright-core";
import type { Emulator } from "webextract-emulator";
import { ensureBrowser } from "../../../scripts/browser/ensureBrowser";

/** An element with others, as the browser has it. */
interface Parent {
  children: Iterable<{ innerText: string }>;
}

let opened: Promise<Browser> | undefined;
after(async () => (await opened)?.close());

/** The browser that all test files of this process share, because its start takes longer than most of them. */
export function openBrowser(): Promise<Browser> {
  opened ??= ensureBrowser().then((executablePath) =>
    // Chromium refuses to run as root with its sandbox.
    chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] }),
  );
  return opened;
}

/** Closes the pages of a test file, before what they show. */
export async function closePages(): Promise<void> {
  const contexts = (await opened)?.contexts() ?? [];
  await Promise.all(contexts.map((each) => each.close()));
}

/** The page of an emulator in a browser tab. */
export class OpenPage {
  /** Errors, warnings of the content security policy, dialogs, and requests to other addresses than the emulator's. */
  readonly problems: string[] = [];
  /** Statuses of refusals that the test wants. The browser logs each one, at times after the page has shown it. */
  readonly refusals = new Set<number>();
  /** Paths below `/__emulator/` that the page has read, in order. */
  readonly read: string[] = [];

  private constructor(
    private readonly emulator: Emulator,
    private readonly context: BrowserContext,
    readonly tab: Page,
  ) {
    tab.on("pageerror", (error) => this.problems.push(`error: ${error.message}`));
    tab.on("console", (message) => {
      const [, status] = /^Failed to load resource: .* status of (\d+)/.exec(message.text()) ?? [];
      const isProblem = ["error", "warning"].includes(message.type()) && !this.refusals.has(Number(status));
      if (isProblem) this.problems.push(`console: ${message.text()}`);
    });
    tab.on("dialog", (dialog) => {
      this.problems.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    tab.on("request", (request) => {
      const prefix = `${this.emulator.url}/__emulator/`;
      if (!request.url().startsWith(prefix)) this.problems.push(`request: ${request.url()}`);
      else this.read.push(request.url().slice(prefix.length));
    });
  }

  /** Opens a view, such as `#/tasks`, and waits until it has its content. */
  static async open(
    browser: Browser,
    emulator: Emulator,
    hash = "",
    options: BrowserContextOptions = {},
  ): Promise<OpenPage> {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      reducedMotion: "reduce",
      ...options,
    });
    const page = new OpenPage(emulator, context, await context.newPage());
    await page.tab.goto(`${emulator.url}/__emulator/${hash}`);
    await page.heading().waitFor();
    return page;
  }

  /** The heading of the present view. */
  heading() {
    return this.tab.locator("h1");
  }

  /** Opens another view of the same page. */
  async go(hash: string, heading: string | RegExp): Promise<void> {
    await this.tab.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await this.shows(heading);
  }

  /** Waits for the view with this heading. */
  async shows(heading: string | RegExp): Promise<void> {
    await this.heading().filter({ hasText: heading }).waitFor();
  }

  /** Removes the filter, and waits for the new view: it replaces what is in the fields. */
  async showAll(): Promise<void> {
    const link = this.tab.getByRole("link", { name: "Show all" });
    await link.click();
    await link.waitFor({ state: "detached" });
  }

  /** Waits until the page receives events. */
  async isLive(): Promise<void> {
    await this.tab.locator("#connection").filter({ hasText: "Live" }).waitFor();
  }

  /** The texts of the cells of a table, row by row. */
  async cells(caption: string): Promise<string[][]> {
    const rows = this.tab.getByRole("table", { name: caption }).locator("tbody tr");
    return await rows.evaluateAll((found: Parent[]) =>
      found.map((row) => [...row.children].map((cell) => cell.innerText)),
    );
  }

  async close(): Promise<void> {
    await this.context.close();
  }
}
