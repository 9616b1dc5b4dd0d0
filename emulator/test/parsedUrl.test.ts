import assert from "node:assert/strict";
import fc from "../../test/fastCheck";
import { parsedUrl } from "./internals";

describe("a URL that the emulator reads", () => {
  /** Node.js compiles what runs often, and its compiled URL.canParse refuses some of these. */
  const often = 20_000;

  for (const [text, base] of [
    ["http://bücher.example/a?b=ü"],
    ["http://bücher.example/a", "http://127.0.0.1/"],
    ["//книги.example/", "http://127.0.0.1/"],
    ["/ü", "http://127.0.0.1/"],
    ["http://[::1]:80/"],
    ["/relative"],
    ["http://a b/"],
  ] as [string, string?][]) {
    it(`is the same however often it is read: ${text}${base === undefined ? "" : ` against ${base}`}`, () => {
      const first = parsedUrl(text, base)?.href;
      for (let time = 0; time < often; time += 1) {
        // A string of its own each time, as they come from pages.
        const copy: string = JSON.parse(JSON.stringify(text));
        if (parsedUrl(copy, base)?.href !== first) assert.fail(`time ${time}`);
      }
    });
  }

  it("is the one of the URL class, or none", () => {
    const texts = fc.oneof(fc.webUrl(), fc.string({ unit: "grapheme" }), fc.webPath());
    const check = (text: string, base: string | undefined) => {
      let expected: string | undefined;
      try {
        expected = new URL(text, base).href;
      } catch {
        expected = undefined;
      }
      assert.equal(parsedUrl(text, base)?.href, expected);
    };
    fc.assert(fc.property(texts, fc.option(fc.webUrl(), { nil: undefined }), check));
  });
});
