import assert from "node:assert/strict";
import { AccountGuard } from "../internals/provider";
import { endsAtTurn } from "../turns";

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

  it("accepts that one task is gone", async () => {
    assert.deepEqual(await readAll(new AccountGuard(), { a: "gone" }), [undefined]);
  });

  it("refuses that one task is gone with tokens that may belong to another account", async () => {
    const guard = new AccountGuard();
    guard.saw("a", "gone");
    assert.match(String(await guard.doubt(undefined, undefined, true)), /^The service says that 1 task is gone, and /);
  });

  it("accepts that several tasks are gone if another is found, in any order of responses", async () => {
    assert.deepEqual(await readAll(new AccountGuard(), { a: "gone", b: "gone", c: "there" }), [
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("refuses all reads if no task is found", async () => {
    const doubts = await readAll(new AccountGuard(), { a: "gone", b: "gone", c: "gone" });
    for (const doubt of doubts) {
      assert.match(doubt ?? "", /^The service says that 3 tasks are gone, and has found no task of this stack so far/);
    }
  });

  describe("with reads whose responses come in turns of their own", () => {
    /** Whether each read is refused, if the responses come in this order. */
    const readInOrder = (order: readonly ("there" | "gone")[]): Promise<boolean[]> => {
      const guard = new AccountGuard();
      return Promise.all(
        order.map((presence, turn) =>
          guard.during(async () => {
            guard.saw(`task-${turn}`, await endsAtTurn(turn, presence));
            return presence === "gone" && (await guard.doubt()) !== undefined;
          }),
        ),
      );
    };

    it("refuses the first read too, and waits with it for the others", async () => {
      assert.deepEqual(await readInOrder(["gone", "gone", "gone"]), [true, true, true]);
    });

    const orders = [
      ["there", "gone", "gone"],
      ["gone", "there", "gone"],
      ["gone", "gone", "there"],
    ] as const;
    for (const order of orders) {
      it(`waits for the task that is found: ${order.join(", ")}`, async () => {
        assert.deepEqual(await readInOrder(order), [false, false, false]);
      });
    }

    it("goes on after a read that fails", async () => {
      const guard = new AccountGuard();
      const failing = guard.during(() => endsAtTurn(2, undefined).then(() => assert.fail("no response")));
      const gone = guard.during(async () => {
        guard.saw("task", "gone");
        return guard.doubt();
      });
      await assert.rejects(failing, /no response/);
      assert.equal(await gone, undefined);
    });
  });

  it("also refuses later reads", async () => {
    const guard = new AccountGuard();
    await readAll(guard, { a: "gone", b: "gone" });
    const [doubt] = await readAll(guard, { c: "gone" });
    assert.match(doubt ?? "", /3 tasks are gone/);
  });

  describe("with reads one after the other", () => {
    /** Reads of copies of one template, each of which waits for the one before. */
    const readInTurn = async (presences: ("there" | "gone")[], isTemplateGone: boolean) => {
      const guard = new AccountGuard();
      const lookedUp: string[] = [];
      const doubts: boolean[] = [];
      for (const [index, presence] of presences.entries()) {
        const doubt = await guard.during(async () => {
          guard.saw(`copy-${index}`, presence);
          const look = async (source: string): Promise<boolean> => {
            lookedUp.push(source);
            return isTemplateGone;
          };
          return presence === "gone" ? guard.doubt("template", look) : undefined;
        });
        doubts.push(doubt !== undefined);
      }
      return { doubts, lookedUp };
    };

    it("also refuses the first read if its source is gone", async () => {
      assert.deepEqual(await readInTurn(["gone", "gone"], true), { doubts: [true, true], lookedUp: ["template"] });
    });

    it("does not accept an existing template as proof, because another account can see the same template", async () => {
      assert.deepEqual(await readInTurn(["gone", "gone"], false), { doubts: [false, true], lookedUp: ["template"] });
    });

    it("looks up no template if another task of the account is found", async () => {
      assert.deepEqual(await readInTurn(["there", "gone", "gone"], true), {
        doubts: [false, false, false],
        lookedUp: [],
      });
    });
  });
});
