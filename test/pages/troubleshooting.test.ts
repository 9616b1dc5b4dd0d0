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

  it("describes for each message its meaning and what to do, and what happened at the service if anything did", () => {
    assert.ok(page.includes("Where an entry does not say more, nothing happened at the service."));
    const answers = page.split(/^```text\n(?:.*\n)*?```\n/m).slice(1);
    // Two messages with the same answer follow each other.
    const given = answers.filter((answer) => answer.trim() !== "");
    for (const answer of given) {
      for (const part of ["Means", "Do"]) assert.ok(answer.includes(`- **${part}:** `), answer);
      assert.doesNotMatch(answer, /At the service:\*\* nothing happened\./);
    }
  });
});
