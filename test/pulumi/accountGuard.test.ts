import assert from "node:assert/strict";
import { AccountGuard } from "../../src/pulumi/accountGuard";

describe("the guard against a wrong account", () => {
  const readAll = (guard: AccountGuard, tasks: Record<string, "there" | "gone">): Promise<(string | undefined)[]> =>
    Promise.all(
      Object.entries(tasks).map(([taskId, presence]) =>
        guard.during(async () => {
          await Promise.resolve();
          guard.saw(taskId, presence);
          return presence === "gone" ? guard.doubt() : undefined;
        }),
      ),
    );

  it("believes that one task is gone", async () => {
    assert.deepEqual(await readAll(new AccountGuard(), { a: "gone" }), [undefined]);
  });

  it("believes that several are gone where another was found, whichever answer comes first", async () => {
    assert.deepEqual(await readAll(new AccountGuard(), { a: "gone", b: "gone", c: "there" }), [
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("doubts it where none was found, for all of them", async () => {
    const doubts = await readAll(new AccountGuard(), { a: "gone", b: "gone", c: "gone" });
    for (const doubt of doubts) {
      assert.match(doubt ?? "", /^The service says that 3 tasks are gone, and found none of this stack/);
    }
  });

  it("goes on doubting when further reads come later", async () => {
    const guard = new AccountGuard();
    await readAll(guard, { a: "gone", b: "gone" });
    const [doubt] = await readAll(guard, { c: "gone" });
    assert.match(doubt ?? "", /3 tasks are gone/);
  });
});
