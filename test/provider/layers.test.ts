import assert from "node:assert/strict";
import { slowIt } from "../environment";
import { noteUrn } from "../internals/engine";
import type { Layer } from "../internals/provider";
import { layers } from "../internals/provider";
import { otherAddress, World } from "../resources/life";

const copyArgs = { sourceTaskId: "task-1", taskGroupId: "group-2" };
const config = (Url: string) => ({
  taskId: "task-1",
  actions: { open: { actionType: "NavigateAction", properties: { Url } } },
});

const outcomeOf = (step: Promise<unknown>): Promise<string> =>
  step.then(
    String,
    ({ message }: Error) =>
      (/both manage|was made at|are gone|copy of a trial/.exec(message)?.[0] ?? message) as string,
  );

/** The same service at another address. */
const move = (world: World): void => world.configure(otherAddress(world.emulator.url));

/** What each layer is for: what happens in a world, and what must be seen of it. */
const scenes: Record<string, { seen: unknown; play: (world: World) => Promise<unknown> }> = {
  "a resource is touched only where it was made": {
    seen: ["was made at", []],
    play: async (world) => {
      const made = world.declare("TaskActionConfig");
      await made.up(config("https://one.test/"));
      move(world);
      world.operations();
      return [await outcomeOf(made.up(config("https://two.test/"))), world.operations()];
    },
  },
  "a resource of another service claims nothing": {
    seen: ["was made at", "created"],
    play: async (world) => {
      const made = world.declare("TaskActionConfig", "made");
      await made.up(config("https://one.test/"));
      move(world);
      const news = config("https://two.test/");
      noteUrn(news, made.urn ?? "");
      return world.command(async () => [
        await outcomeOf(world.providers.provider("TaskActionConfig").update(made.id ?? "", made.state, news)),
        await outcomeOf(world.declare("TaskActionConfig", "other").up(config("https://two.test/"))),
      ]);
    },
  },
  "the journal learns nothing of a resource of another service": {
    seen: ["was made at", 1],
    play: async (world) => {
      const elsewhere = world.declare("TaskCopy");
      move(world);
      await world.unsaved(elsewhere, () => elsewhere.up(copyArgs));
      elsewhere.state = { ...elsewhere.state, origin: world.emulator.url };
      return [await outcomeOf(elsewhere.refresh()), world.journal().length];
    },
  },
  "two resources that manage the same are refused": {
    seen: ["created", "both manage"],
    play: (world) =>
      world.command(async () => [
        await outcomeOf(world.declare("TaskActionConfig", "one").up(config("https://one.test/"))),
        await outcomeOf(world.declare("TaskActionConfig", "two").up(config("https://two.test/"))),
      ]),
  },
  "no delete undoes what another resource has": {
    seen: ["nothing", []],
    play: async (world) => {
      const [copy, adopted] = ["copy", "adopted"].map((name) => world.declare("TaskCopy", name));
      await copy?.up(copyArgs);
      await adopted?.up({ adoptTaskId: copy?.id, onDelete: "removeData", forceDestroy: true });
      return world.command(async () => {
        const done = await copy?.up(copyArgs);
        world.operations();
        await adopted?.destroy();
        return [done, world.operations()];
      });
    },
  },
  "the journal drops what the state holds": {
    seen: ["true", 0],
    play: async (world) => {
      const copy = world.declare("TaskCopy");
      await world.unsaved(copy, () => copy.up(copyArgs));
      return [await outcomeOf(copy.refresh()), world.journal().length];
    },
  },
  "a new instance knows the one that it replaces": {
    seen: ["created", "replaced", "nothing"],
    play: async (world) => {
      const run = world.declare("CloudRun");
      const under = (runLabel: string) => outcomeOf(run.up({ taskId: "task-1", runLabel }));
      return [await under("a"), await under("b"), await under("a")];
    },
  },
  "a trial adopts nothing of another stack when its key is removed": {
    seen: ["created", "copy of a trial", []],
    play: async (world) => {
      const made = world.declare("TaskCopy");
      const adopting = { adoptTaskId: "task-1" };
      world.configure({ trialGroup: "group-2" });
      const first = await outcomeOf(made.up(adopting));
      world.operations();
      world.configure({ trialGroup: "" });
      return [first, await outcomeOf(made.up(adopting)), world.operations()];
    },
  },
  "a wrong account is not believed": {
    seen: ["are gone", "are gone"],
    play: async (world) => {
      const copies = [world.declare("TaskCopy", "one"), world.declare("TaskCopy", "two")];
      for (const copy of copies) {
        await copy.up(copyArgs);
        world.emulator.change.deleteTask(copy.id ?? "");
      }
      return world.command(() => Promise.all(copies.map((copy) => outcomeOf(copy.refresh()))));
    },
  },
  "a task that is not this account's stays at a refresh": {
    seen: "true",
    play: async (world) => {
      const copy = world.declare("TaskCopy");
      await copy.up(copyArgs);
      world.emulator.setBehaviour({ taskGone: "notYours" });
      world.emulator.change.deleteTask(copy.id ?? "");
      return outcomeOf(copy.refresh());
    },
  },
};

describe("the layers of the provider", () => {
  const seenWith = async (play: (world: World) => Promise<unknown>, some?: readonly Layer[]): Promise<unknown> => {
    const world = await World.create({ layers: some });
    try {
      return await play(world);
    } finally {
      await world.remove();
    }
  };
  /** Fails unless a scene shows something else with these layers. */
  const assertNoticed = async (some: readonly Layer[]): Promise<void> => {
    for (const { seen, play } of Object.values(scenes)) {
      try {
        assert.deepEqual(await seenWith(play, some), seen);
      } catch {
        return;
      }
    }
    assert.fail("no scene shows it");
  };

  for (const [name, { seen, play }] of Object.entries(scenes)) {
    it(`guarantee that ${name}`, async () => {
      assert.deepEqual(await seenWith(play), seen);
    });
  }

  for (const layer of layers) {
    it(`fail a guarantee when ${layer.name} is left out`, async () => {
      await assertNoticed(layers.filter((each) => each !== layer));
    });
  }

  const [first, ...others] = layers;
  for (let place = 1; place < layers.length; place++) {
    slowIt(`fail a guarantee when the origin check has place ${place + 1}`, async () => {
      assert.ok(first);
      await assertNoticed([...others.slice(0, place), first, ...others.slice(place)]);
    });
  }
});
