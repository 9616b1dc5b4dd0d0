import assert from "node:assert/strict";
import { messagesInCode } from "./messages";
import { blocks, readPage } from "./readPage";

const page = readPage("docs/troubleshooting.md");

describe("the page about troubleshooting", () => {
  it("quotes only messages of the code", () => {
    const messages = messagesInCode();
    const quoted = blocks(page, "text").map((block) => block.trim());
    assert.ok(quoted.length > 20);
    assert.deepEqual(
      quoted.filter((text) => !messages.some((message) => message.includes(text))),
      [],
    );
  });

  it("says for each message what to do, and what happened at the service if anything did", () => {
    assert.ok(page.includes("Where an entry does not say more, nothing happened at the service."));
    const entries = page.split(/^```text\n(?:.*\n)*?```\n/m).slice(1);
    // Messages with the same entry follow each other.
    const given = entries.filter((entry) => entry.trim() !== "");
    for (const entry of given) {
      assert.ok(entry.includes("**Do:** "), entry);
      assert.doesNotMatch(entry, /At the service:\*\* nothing happened\./);
    }
  });
});
