import assert from "node:assert/strict";
import { openBrowser } from "./browser";

describe("the browser of these tests", () => {
  const { PATH } = process.env;
  afterEach(() => {
    process.env.PATH = PATH;
  });

  it("is named when it is missing, and the tests fail", async () => {
    process.env.PATH = __dirname;
    await assert.rejects(openBrowser(), /need Chromium on PATH.*apt-get install chromium/);
  });
});
