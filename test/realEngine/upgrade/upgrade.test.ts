import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isLarge, slowIt } from "../../environment";
import { resources } from "../../internals/resources";
import type { StateResource } from "../harness";
import { findInText } from "../harness";
import type { Kind } from "./upgradeStack";
import { files, fixtures, keptVersions, kinds, originOf, secrets, UpgradeStack } from "./upgradeStack";

const isWrite = (operation: string): boolean => !/^(get|refreshToken)/.test(operation);

for (const version of keptVersions()) {
  describe(`a state that version ${version} wrote`, () => {
    const kept = join(version, "whole");
    const written = readFileSync(join(fixtures, kept, files.stack), "utf8");
    let scratch: string;
    let stack: UpgradeStack;
    beforeEach(() => {
      scratch = mkdtempSync(join(tmpdir(), "webextract-upgrade-"));
    });
    afterEach(async () => {
      await stack.remove();
      rmSync(scratch, { recursive: true, force: true });
    });
    const restore = async (options: { moved?: boolean; config?: Record<string, string> } = {}): Promise<void> => {
      stack = await UpgradeStack.restore(kept, { ...options, leanSdk: true }, scratch);
    };

    it("causes no change in an up and a refresh, and no request except the reads of the refresh; then a later refresh finds drift, and a change is one write", async () => {
      await restore();
      const before = contents(stack.project.state().resources);
      await stack.project.up({ args: ["--expect-no-changes"] });
      assert.deepEqual(stack.operations(), []);
      assert.deepEqual(contents(stack.project.state().resources), before);

      await stack.project.refresh({ args: ["--expect-no-changes"] });
      const asked = stack.operations();
      assert.ok(asked.includes("getActions") && asked.includes("getSubtasks"), asked.join());
      assert.deepEqual(asked.filter(isWrite), []);

      const program = readFileSync(join(fixtures, kept, files.program, "index.js"), "utf8");
      stack.project.write("index.js", program.replace('Url: "https://whole.test/"', 'Url: "https://changed.test/"'));
      stack.emulator.change.setProperty(stack.project.resource("whole").id ?? "", "open", "Url", "https://drift.test/");
      const { output } = await stack.project.up({ args: ["--refresh", "--diff"] });
      assert.match(output, /"https:\/\/whole\.test\/" => "https:\/\/drift\.test\/"/);
      assert.match(output, /"https:\/\/drift\.test\/" => "https:\/\/changed\.test\/"/);
      assert.deepEqual(stack.operations().filter(isWrite), ["updateTaskParameters"]);
    });

    it("is destroyed, the old values are restored, and rows are removed", async () => {
      await restore();
      const copy = stack.project.resource("copy").id ?? "";
      await stack.project.destroy();
      assert.deepEqual(stack.project.state().resources, []);
      assert.equal(stack.emulator.inspect.rows(copy).length, 0);
      const [open, each] = stack.emulator.inspect.task(copy)?.actions ?? [];
      assert.deepEqual(
        [open?.properties, each?.loopItems],
        [{ Url: "https://old.test/", Wait: "1" }, ["https://old.test/item"]],
      );
    });

    it("is refused at another address until movedFrom names the old address", async () => {
      await restore({ moved: true });
      const origin = originOf(written);
      const { output } = await stack.project.up({ expect: "failure" });
      assert.ok(output.includes(`webextract:movedFrom ${origin}`), output);
      assert.deepEqual(stack.operations(), []);

      await stack.project.configure({ "webextract:movedFrom": origin });
      await stack.project.up();
      assert.deepEqual(stack.operations(), []);
      const [made] = stack.project.state().resources.filter(({ outputs }) => outputs?.origin !== undefined);
      assert.equal(made?.outputs?.origin, stack.emulator.url);
    });
  });
}

for (const version of keptVersions()) {
  describe(`a state that version ${version} left unfinished`, () => {
    let scratch: string;
    let stack: UpgradeStack;
    beforeEach(async () => {
      scratch = mkdtempSync(join(tmpdir(), "webextract-upgrade-"));
      stack = await UpgradeStack.restore(join(version, "unfinished"), { leanSdk: true }, scratch);
    });
    afterEach(async () => {
      await stack.remove();
      rmSync(scratch, { recursive: true, force: true });
    });
    const idOf = (name: string): string => stack.project.resource(name).id ?? "";

    for (const refreshFirst of isLarge ? [false, true] : [false]) {
      it(`is completed by the next up${refreshFirst ? " after a refresh" : ""}, and no request that must run once is sent twice`, async () => {
        if (refreshFirst) {
          await stack.project.refresh();
          assert.deepEqual(stack.operations().filter(isWrite), []);
        }
        await stack.project.up();
        const onlyOnce = stack
          .operations()
          .filter((operation) => /^(copyTask|startTask|updateLoopItems)$/.test(operation));
        assert.deepEqual(onlyOnce, ["updateLoopItems"], "the one append that did not arrive");
        for (const name of ["copy", "second"]) {
          const items = stack.emulator.inspect.task(idOf(name))?.actions[1]?.loopItems;
          assert.deepEqual(items, ["https://old.test/item", "https://shop.test/1", "https://shop.test/2"]);
        }
        assert.deepEqual(stack.emulator.inspect.startUrls(idOf("whole")), ["https://whole.test/a"]);
        assert.deepEqual(
          stack.project.state().resources.filter(({ outputs }) => outputs?.pending !== undefined),
          [],
        );
        assert.ok(existsSync(join(stack.project.folder, "rows", "1.ndjson")));
        assert.ok(existsSync(join(stack.project.folder, "rows", "2.ndjson")));

        await stack.project.up({ args: ["--expect-no-changes"] });
        assert.deepEqual(stack.operations(), []);
      });
    }

    slowIt("is destroyed", async () => {
      const made = ["copy", "second", "other", "configured", "whole"].map(idOf);
      await stack.project.destroy();
      assert.deepEqual(stack.project.state().resources, []);
      assert.deepEqual(
        made.map((id) => stack.emulator.inspect.rows(id).length),
        [0, 0, 0, 0, 0],
      );
    });
  });
}

describe("the recorded states of each version", () => {
  const newest = keptVersions().at(-1) ?? "";
  const { version } = JSON.parse(readFileSync(join(fixtures, "../../../../package.json"), "utf8"));

  it("include a state of this version", () => {
    assert.ok(keptVersions().includes(version), "run `npm run record`");
  });

  const typesIn = (kind: Kind, isMeant: (resource: StateResource) => boolean): Set<string | undefined> => {
    const { deployment } = JSON.parse(readFileSync(join(fixtures, newest, kind, files.stack), "utf8"));
    const meant = (deployment.resources as StateResource[]).filter(isMeant);
    return new Set(meant.map(({ type }) => type.split(":").at(-1)));
  };

  it("contain every resource", () => {
    const types = typesIn("whole", () => true);
    assert.deepEqual(
      Object.keys(resources).filter((type) => !types.has(type)),
      [],
    );
  });

  it("contain every resource that can be unfinished", () => {
    const types = typesIn("unfinished", ({ outputs }) => outputs?.pending !== undefined);
    // These resources cannot be unfinished: a copy exists with an id or not at all, and the requests of CloudSubtasks can be sent again.
    const neverPending = ["TaskCopy", "CloudSubtasks"];
    assert.deepEqual(
      Object.keys(resources).filter((type) => !types.has(type)),
      neverPending,
    );
  });

  it("contain no secret in clear text and no path of the machine that recorded them", () => {
    for (const each of keptVersions().flatMap((version) => kinds.map((kind) => join(version, kind)))) {
      const text = readFileSync(join(fixtures, each, files.stack), "utf8");
      assert.deepEqual(findInText(files.stack, text, Object.values(secrets)), []);
      assert.doesNotMatch(text, /\/(home|Users|tmp|root)\/|\.\.\//);
    }
  });
});

const secretMark = "4dabf18193072939515e22adb298388d";

/** The resources of a state without times, source positions and secrets, whose encryption differs each time. */
function contents(list: readonly StateResource[]): unknown {
  const told = list
    .map(({ urn, id, inputs, outputs }) => ({ urn, id, inputs, outputs }))
    .sort((one, other) => one.urn.localeCompare(other.urn));
  return JSON.parse(JSON.stringify(told), (_key, value) => (value?.[secretMark] === undefined ? value : "secret"));
}
