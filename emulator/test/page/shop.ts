import type { Emulator, EmulatorOptions, SeedTask } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import type { PageSite } from "../pageSite";

/** A task that reads the pages of a small shop, one subtask for each. */
export function shopTask(site: PageSite, pages: readonly string[]): SeedTask {
  return {
    taskId: "shop",
    taskGroupId: "group",
    name: "Shop",
    urlsPerSubtask: 1,
    startUrls: pages.map((page) => site.url + page),
    actions: [
      { actionType: "NavigateAction", actionId: "open", properties: { Url: `${site.url}/` } },
      { actionType: "LoopAction", actionId: "pages", loopType: "UrlList", loopItems: [] },
      {
        actionType: "ExtractDataAction",
        actionId: "extract",
        properties: { RowSelector: ".product", "Field.title": "h2", "Field.link": "a@href" },
      },
    ],
  };
}

/** An emulator with these tasks. */
export function startWithTasks(tasks: SeedTask[], options: EmulatorOptions = {}): Promise<Emulator> {
  return startEmulator({ seed: { taskGroups: [{ taskGroupId: "group", name: "Group" }], tasks }, ...options });
}

export function productPage(titles: readonly string[]): string {
  const products = titles.map(
    (title, index) => `<li class="product"><h2>${title}</h2><a href="/item/${index}">more</a></li>`,
  );
  return `<!doctype html><title>Shop</title><ul>${products.join("")}</ul>`;
}

/** The address and the heading of each view with content, by a task, one of its runs and a request. */
export function everyView({ taskId, lotNo }: { taskId: string; lotNo: string }): [hash: string, heading: string][] {
  return [
    ["#/tasks", "Tasks"],
    [`#/tasks/${taskId}`, `Task ${taskId}`],
    ["#/runs", "Runs"],
    [`#/runs/${lotNo}`, `Run ${lotNo}`],
    [`#/runs/${lotNo}/rows`, `Rows of run ${lotNo}`],
    [`#/runs/${lotNo}/rows/1`, `Row 1 of run ${lotNo}`],
    ["#/requests", "Requests"],
    ["#/requests/1", "Request 1"],
    ["#/settings", "Settings"],
  ];
}
