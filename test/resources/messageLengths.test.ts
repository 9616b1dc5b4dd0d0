import assert from "node:assert/strict";
import { describeRefusedDelete, programMessage } from "../internals/provider";
import type { RunReason } from "../internals/resources";
import { ResourceError, RowsAreHeld } from "../internals/resources";
import { messagesInCode } from "../pages/messages";

/** What a reader reads before the page with the other ways. Ids and paths do not count. */
function lengthOf(message: string, ...ids: readonly string[]): number {
  const [text = ""] = message.split("\nMore: ");
  return ids.reduce((rest, id) => rest.replaceAll(id, ""), text).length;
}

const most = 400;

describe("a message", () => {
  it("that the code spells out has at most 400 characters", () => {
    const sentences = messagesInCode().filter((message) => /^[A-Z"…][^<{]*\. [A-Z]/.test(message));
    assert.ok(sentences.length > 100);
    // The help of a command is read on demand.
    const tooLong = sentences.filter((message) => message.length > most && !/^The command /.test(message));
    assert.deepEqual(tooLong, []);
  });

  it("of a refused destroy has at most 400 characters and four lines, and names the page with the other ways", () => {
    const [taskId, run] = ["4f6c2a9e-task", 'CloudRun "run"'];
    const message = describeRefusedDelete(new RowsAreHeld(taskId, "the task still has 25 rows"), [run]);
    assert.ok(lengthOf(message, taskId) <= most, message);
    assert.equal(message.split("\n").length, 4);
    assert.match(message, /\nMore: https:\S+$/);
  });

  for (const reason of ["notFinished", "timedOut", "superseded", "failed", "notStopped"] as const) {
    it(`about a run says one thing to do: ${reason}`, () => {
      const about: RunReason = { taskId: "task-1", lotNo: "1", reason };
      const [, ...lines] = programMessage(new ResourceError("what happened", about)).split("\n");
      assert.ok(lines.length >= 1 && lines.length <= 2, lines.join());
      assert.ok(lengthOf(lines.join("\n")) <= 120, lines[0]);
    });
  }
});
