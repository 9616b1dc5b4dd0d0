import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import sinon from "sinon";
import type { BrowserWay } from "../../scripts/browser/ensureBrowser";
import { ensureBrowser } from "../../scripts/browser/ensureBrowser";

describe("the browser of the tests", () => {
  let folder: string;
  let browser: string;
  let said: string[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "webextract-browser-"));
    browser = join(folder, "chromium");
    said = [];
    sinon.stub(chromium, "executablePath").returns(join(folder, "downloaded"));
  });
  afterEach(() => {
    sinon.restore();
    rmSync(folder, { recursive: true });
  });

  const find = (...ways: BrowserWay[]): Promise<string> =>
    ensureBrowser({ environment: { PATH: folder }, say: (line) => said.push(line), ways });
  const way = (name: string, script: string, isPossible = true): BrowserWay => ({
    name,
    isPossible: () => isPossible,
    commands: [[process.execPath, "-e", script]],
  });
  const installs = () => way("install", `fs.writeFileSync(${JSON.stringify(browser)}, "", { mode: 0o755 })`);

  it("is the one on PATH, and nothing is installed", async () => {
    writeFileSync(browser, "");
    chmodSync(browser, 0o755);
    assert.equal(await find(way("never", "process.exit(1)")), browser);
    assert.deepEqual(said, []);
  });

  it("is the one that Playwright has downloaded", async () => {
    writeFileSync(join(folder, "downloaded"), "");
    assert.equal(await find(way("never", "process.exit(1)")), join(folder, "downloaded"));
  });

  it("is installed by the first way that works, and each way is told", async () => {
    const ways = [
      way("not here", "", false),
      way("refused", "console.log('no rights'); process.exit(100)"),
      installs(),
    ];
    assert.equal(await find(...ways, way("never", "process.exit(1)")), browser);
    assert.deepEqual(
      said.map((line) => line.split(": ").at(-1)),
      ["refused (once).", "install (once)."],
    );
  });

  it("is asked for with each way that was tried", async () => {
    await assert.rejects(find(way("refused", "console.log('no rights'); process.exit(100)"), way("empty", "")), {
      message: [
        "There is no Chromium or Chrome for the tests of the emulator's page.",
        "- refused: no rights",
        "- empty: it brought no browser",
        "Install one of them so that it is on PATH, and try again.",
      ].join("\n"),
    });
  });
});
