import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import MarkdownIt from "markdown-it";
import { closePages, openBrowser } from "../../emulator/test/page/browser";
import { slowIt } from "../environment";
import { assertPictureOf } from "./pictures";
import { repository } from "./readPage";

const example = join(repository, "examples/review");

/** A comment as a code host shows it. */
const style = `body { margin: 0; padding: 16px; background: #fff; color: #1f2328; font: 14px/1.5 system-ui, sans-serif; }
main { max-width: 860px; border: 1px solid #d1d9e0; border-radius: 6px; padding: 0 16px; }
h2 { font-size: 20px; border-bottom: 1px solid #d1d9e0; padding-bottom: 4px; } h3 { font-size: 16px; }
code { font-weight: normal; background: #eff1f3; border-radius: 4px; padding: 1px 5px; font: 12px ui-monospace, monospace; }
table { border-collapse: collapse; margin: 12px 0; } td, th { border: 1px solid #d1d9e0; padding: 5px 12px; text-align: left; }
blockquote { margin: 16px 0; border-left: 4px solid #cf222e; padding: 1px 14px; } blockquote + h2 ~ blockquote { border-color: #9a6700; }`;

describe("the example of a review", () => {
  slowIt("has a picture of its report", async () => {
    const markdown = readFileSync(join(example, "report.md"), "utf8");
    const named = markdown.replace("[!CAUTION]", "**Caution**\n>").replace("[!WARNING]", "**Warning**\n>");
    const browser = await openBrowser();
    try {
      const tab = await browser.newPage({ viewport: { width: 930, height: 700 }, deviceScaleFactor: 1.5 });
      const body = new MarkdownIt({ html: true }).render(named);
      await tab.setContent(`<!doctype html><style>${style}</style><main>${body}</main>`);
      await tab.getByText("95% -> 0%").waitFor();
      await assertPictureOf({ screenshot: ({ path }) => tab.screenshot({ path, fullPage: true }) }, "review");
    } finally {
      await closePages();
    }
  });

  it("tries what the plan changes, on one line or several, also behind what the installation of a policy pack writes", async () => {
    const folder = mkdtempSync(join(tmpdir(), "webextract-targets-"));
    const urn = (name: string): string => `urn:pulumi:production::p::webextract:index:CloudRun::${name}`;
    const steps = [
      { op: "replace", urn: urn("a") },
      { op: "delete", urn: urn("b") },
    ];
    try {
      const installed = 'Installing policy pack {x} ...\n{"level":"info"} done\n';
      const [line, plan] = [0, 4].map((indent) => `${JSON.stringify({ steps }, null, indent)}\n`);
      for (const each of [
        line,
        plan,
        installed + line,
        installed + plan,
        (installed + plan).replaceAll("\n", "\r\n"),
      ]) {
        writeFileSync(join(folder, "plan.json"), each ?? "");
        const tried = await promisify(execFile)(process.execPath, [join(example, "targets.mjs")], { cwd: folder });
        assert.equal(tried.stdout, "--target=urn:pulumi:trial::p::webextract:index:CloudRun::a\0", each);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  slowIt("writes one comment in a merge request of GitLab, and edits it at the next push", async () => {
    const folder = mkdtempSync(join(tmpdir(), "webextract-comment-"));
    const notes = [{ id: 1, author: { id: 8 }, body: "<!-- webextract review --> of somebody else" }];
    const requests: string[] = [];
    const server = createServer(async (request, response) => {
      const { method = "", url = "", headers } = request;
      assert.equal(headers["private-token"], "token-1");
      requests.push(`${method} ${url.split("?")[0]}`);
      const { body = "" } = JSON.parse((await text(request)) || "{}");
      if (method === "POST") notes.push({ id: 2, author: { id: 7 }, body });
      if (method === "PUT") Object.assign(notes[1] ?? {}, { body });
      response.end(JSON.stringify(url === "/user" ? { id: 7 } : notes));
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const env = { CI_API_V4_URL: api, CI_PROJECT_ID: "3", CI_MERGE_REQUEST_IID: "4", GITLAB_TOKEN: "token-1" };
    try {
      for (const report of ["first", "second"]) {
        writeFileSync(join(folder, "review.md"), report);
        await promisify(execFile)(process.execPath, [join(example, "comment.mjs")], { cwd: folder, env });
        assert.deepEqual(
          notes.map(({ body }) => body),
          [notes[0]?.body, `<!-- webextract review -->\n${report}`],
        );
      }
      const at = "/projects/3/merge_requests/4/notes";
      const read = ["GET /user", `GET ${at}`];
      assert.deepEqual(requests, [...read, `POST ${at}`, ...read, `PUT ${at}/2`]);
    } finally {
      server.close();
      rmSync(folder, { recursive: true });
    }
  });
});
