import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "../fastCheck";
import { findInFolder, findInText } from "../realEngine/harness";

describe("the search for secrets", () => {
  const secret = 'pä$$ "word" / 1';

  it("finds a secret in any file of a folder", () => {
    const folder = mkdtempSync(join(tmpdir(), "webextract-find-"));
    try {
      mkdirSync(join(folder, "a", "b"), { recursive: true });
      writeFileSync(join(folder, "a", "b", "log"), `xx${secret}yy`);
      writeFileSync(join(folder, "a", "clean"), "nothing here");
      const found = findInFolder(folder, [secret, "absent"]);
      assert.deepEqual(
        [...new Set(found.map(({ where, needle }) => `${where} ${needle}`))],
        [`${join(folder, "a", "b", "log")} ${secret}`],
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("finds it in encoded forms", () => {
    for (const written of [
      JSON.stringify({ a: secret }),
      encodeURIComponent(secret),
      Buffer.from(secret).toString("hex"),
    ]) {
      assert.notDeepEqual(findInText("x", written, [secret]), [], written);
    }
  });

  it("does not find a short secret that is absent", () => {
    assert.deepEqual(findInText("x", "some text that has nothing of it", ["ä", "zq"]), []);
  });

  it("finds it in base64, with any text around it", () => {
    const text = fc.string({ unit: "binary", maxLength: 10 });
    fc.assert(
      fc.property(text, fc.string({ minLength: 8, maxLength: 40 }), text, (before, needle, after) => {
        const written = Buffer.from(before + needle + after).toString("base64");
        assert.notDeepEqual(findInText("x", written, [needle]), []);
      }),
    );
  });
});
