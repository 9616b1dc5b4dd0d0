import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import sinon from "sinon";
import * as webextract from "../../src/index";

interface Registered {
  inputs: Record<string, unknown>;
  dependsOn: string[];
  type: string;
}

interface Request {
  getName(): string;
  getDependenciesList(): string[];
}

interface Monitor {
  registerResource(request: Request, callback: unknown): unknown;
}

/** Runs a program against mocks and answers what it registered, by name. */
async function run(program: () => unknown): Promise<Record<string, Registered>> {
  const registered: Record<string, Registered> = {};
  await pulumi.runtime.setMocks({
    newResource: ({ name, type, inputs }) => {
      registered[name] = { inputs, type, dependsOn: [] };
      return { id: `${name}-id`, state: inputs };
    },
    call: () => ({}),
  });
  const monitor = pulumi.runtime.getMonitor() as unknown as Monitor;
  const registrations = sinon.spy(monitor, "registerResource");
  await pulumi.runtime.runInPulumiStack(async () => {
    await program();
  });
  await (pulumi.runtime as unknown as { waitForRPCs(): Promise<void> }).waitForRPCs();
  for (const { args } of registrations.getCalls()) {
    const dependsOn = args[0].getDependenciesList().map((urn) => urn.split("::").at(-1) ?? "");
    Object.assign(registered[args[0].getName()] ?? {}, { dependsOn: dependsOn.sort() });
  }
  return registered;
}

/** The error that a program is refused with: the user's own, so that the engine shows it without a stack. */
async function refusalOf(program: () => unknown): Promise<string> {
  const error = await run(program).then(
    () => assert.fail("it should have been refused"),
    (each: unknown) => each,
  );
  assert.ok(pulumi.RunError.isInstance(error), String(error));
  // The SDK shows it after the end of the program.
  assert.equal(error.stack, error.message);
  return error.message;
}

/** The error with which a program ends, thrown or as a rejection of its own. */
async function rejectionOf(program: () => unknown): Promise<string> {
  const listeners = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  try {
    return await new Promise<string>((resolve, reject) => {
      process.once("unhandledRejection", (error: Error) => resolve(error.message));
      run(program).then(
        () => reject(new Error("it should have been refused")),
        (error: Error) => resolve(error.message),
      );
    });
  } finally {
    // A thrown error is a rejection of the stack too.
    process.on("unhandledRejection", () => undefined);
    await new Promise((resolve) => void setImmediate(() => setImmediate(resolve)));
    process.removeAllListeners("unhandledRejection");
    for (const each of listeners) {
      process.on("unhandledRejection", each);
    }
  }
}

/** Asserts that a program is refused with an error that names these, in this order. */
async function refuses(program: () => unknown, ...names: string[]): Promise<void> {
  const message = await refusalOf(program);
  const places = names.map((name) => message.indexOf(name));
  assert.ok(
    places.every((place, index) => place > (places[index - 1] ?? -1)),
    `${names.join(", ")}: ${message}`,
  );
}

const open = { open: { actionType: "NavigateAction", properties: { Url: "https://a.test" } } };

describe("typed classes", () => {
  it("register a dynamic resource with the constant provider text", async () => {
    const { copy } = await run(() => new webextract.TaskCopy("copy", { sourceTaskId: "s", taskGroupId: "g" }));
    assert.equal(copy?.type, "pulumi-nodejs:dynamic/webextract:TaskCopy");
    assert.match(String(copy?.inputs.__provider), /pulumi-webextract\/provider"\)\.get\("TaskCopy"\)$/);
  });

  it("refuse two exports with one file, also of one run whose lotNo is not known", async () => {
    const rows = (name: string, path: string, lotNo?: pulumi.Input<string>): void => {
      const args = { taskId: "task-1", path, ...(lotNo === undefined ? { scope: "all" } : { scope: "batch", lotNo }) };
      new webextract.DataExport(name, args as webextract.DataExportArgs);
    };
    const twice = (one: string, other: string) => () => {
      rows("one", one);
      rows("two", other);
    };
    await refuses(twice("rows/x.ndjson", "./rows//x.ndjson"), 'DataExport "two"', "/rows/x.ndjson", 'DataExport "one"');
    const eachOfItsRun = () => {
      for (const name of ["one", "two"]) {
        const run = new webextract.CloudRun(`run-${name}`, { taskId: name });
        rows(name, "{lotNo}.ndjson", run.id);
      }
    };
    const others: Record<string, (run: webextract.CloudRun) => pulumi.Input<string>> = {
      id: ({ id }) => id,
      lotNo: ({ lotNo }) => lotNo,
      interpolate: ({ id }) => pulumi.interpolate`${id}`,
      apply: ({ id }) => id.apply((each) => each),
      secret: ({ id }) => pulumi.secret(id),
    };
    for (const lotNoOf of Object.values(others)) {
      const message = await rejectionOf(() => {
        const run = new webextract.CloudRun("run", { taskId: "task-1" });
        rows("one", "{lotNo}.ndjson", run.id);
        rows("two", "./{lotNo}.ndjson", lotNoOf(run));
      });
      assert.match(message, /^DataExport "two": .* is the file of DataExport "one" too/);
    }
    await run(eachOfItsRun);
    await run(twice("{n}.ndjson", "{n}.ndjson"));
  });

  it("accept settings after a run that was started elsewhere, and an export of all rows before it, as the plugin does", async () => {
    const adopting = (adoptLotNo: pulumi.Input<string>) => () => {
      new webextract.DataExport("rows", { taskId: "task-1", scope: "all", path: "rows.ndjson" });
      new webextract.CloudRun("run", { taskId: "task-1", adoptLotNo });
      new webextract.TaskActionConfig("config", { taskId: "task-1", actions: open });
    };
    await run(adopting("1"));
    assert.match(await rejectionOf(adopting(pulumi.output("1"))), /"config" configures the task of CloudRun "run"/);
  });

  it("make a run depend on all settings of its task, and an export on the run, by id or by string", async () => {
    const registered = await run(() => {
      const copy = new webextract.TaskCopy("copy", { sourceTaskId: "s", taskGroupId: "g" });
      const config = new webextract.TaskActionConfig("config", { taskId: copy.id, actions: open });
      new webextract.TaskLoopItems("loop", { taskId: copy.taskId, actionId: "a", loopType: "TextList", items: ["x"] });
      new webextract.TaskStartUrls("urls", { taskId: config.id, urls: ["https://a.test"] });
      new webextract.TaskActionConfig("other", { taskId: "another-task", actions: open });
      new webextract.CloudRun("run", { taskId: copy.id });
      new webextract.DataExport("rows", { taskId: copy.id, scope: "all", path: "rows.ndjson" });
      new webextract.CloudRun("other-run", { taskId: "another-task" });
    });
    assert.deepEqual(registered.run?.dependsOn, ["config", "copy", "loop", "urls"]);
    assert.deepEqual(registered.rows?.dependsOn, ["copy", "run"]);
    assert.deepEqual(registered["other-run"]?.dependsOn, ["other"]);
  });

  it("send a list of known strings as one string, and other lists unchanged, so that check can name the problem", async () => {
    const lists = { known: ["a", "b"], output: ["a", pulumi.output("b")], blank: ["a", " "], broken: ["a", "b\nc"] };
    const registered = await run(() => {
      for (const [name, items] of Object.entries(lists)) {
        new webextract.TaskLoopItems(name, { taskId: name, actionId: "a", loopType: "TextList", items });
        const loop = { loopType: "TextList", items };
        const actions = { each: { actionType: "LoopAction", loop } };
        new webextract.ExtractionTask(`${name}-whole`, { from: { adoptTaskId: `${name}-2` }, actions });
      }
    });
    const sent = (name: string): unknown => {
      const actions = registered[`${name}-whole`]?.inputs.actions as { each: { loop: { items: unknown } } };
      assert.deepEqual(actions.each.loop.items, registered[name]?.inputs.items);
      return registered[name]?.inputs.items;
    };
    assert.equal(sent("known"), "a\nb");
    assert.deepEqual(sent("output"), ["a", "b"]);
    assert.deepEqual(sent("blank"), lists.blank);
    assert.deepEqual(sent("broken"), lists.broken);
    const subTaskIds = ["s1", "6.39E+17"];
    const { ids } = await run(
      () => new webextract.CloudSubtasks("ids", { taskId: "t", subTaskIds, desired: "started" }),
    );
    assert.deepEqual(ids?.inputs.subTaskIds, subTaskIds);
  });

  it("send unknown arguments unchanged, also those named like inherited members, so that check can name them", async () => {
    const loop = { loopType: "TextList", items: ["a"], toString: ["b"] };
    const args = { from: { adoptTaskId: "t" }, actions: { valueOf: { actionType: "LoopAction", loop } } };
    const { whole } = await run(() => new webextract.ExtractionTask("whole", args));
    const actions = { valueOf: { actionType: "LoopAction", loop: { ...loop, items: "a" } } };
    assert.deepEqual(whole?.inputs.actions, actions);
  });

  it("have an output for each argument, given or not", async () => {
    let seen: unknown;
    const registered = await run(async () => {
      const args: webextract.TaskCopyArgs = { sourceTaskId: "s", taskGroupId: "g", onDelete: "retain" };
      const { sourceTaskId, onDelete, adoptTaskId, forceDestroy } = new webextract.TaskCopy("copy", args);
      assert.ok(pulumi.Output.isInstance(adoptTaskId));
      seen = await new Promise((resolve) => {
        pulumi.output({ sourceTaskId, onDelete, adoptTaskId, forceDestroy }).apply(resolve);
      });
    });
    assert.deepEqual(seen, { sourceTaskId: "s", onDelete: "retain", adoptTaskId: undefined, forceDestroy: undefined });
    assert.deepEqual(Object.keys(registered.copy?.inputs ?? {}).sort(), [
      "__provider",
      "onDelete",
      "sourceTaskId",
      "taskGroupId",
    ]);
  });

  it("recognize an adopted task by its id", async () => {
    const registered = await run(() => {
      const task = new webextract.TaskCopy("task", { adoptTaskId: "t-1" });
      new webextract.TaskActionConfig("config", { taskId: "t-1", actions: open });
      new webextract.CloudRun("run", { taskId: task.id });
    });
    assert.deepEqual(registered.run?.dependsOn, ["config", "task"]);
  });

  it("recognize a static get of a task by its id, its taskId and its string, and by those of its settings", async () => {
    const registered = await run(() => {
      const task = webextract.TaskCopy.get("task", "task-1");
      const found = webextract.TaskActionConfig.get("found", task.id, { actions: open });
      new webextract.TaskActionConfig("config", { taskId: task.taskId, actions: open });
      new webextract.TaskLoopItems("loop", { taskId: found.taskId, actionId: "a", loopType: "TextList", items: ["x"] });
      new webextract.TaskStartUrls("urls", { taskId: "task-1", urls: ["https://a.test"] });
      new webextract.CloudRun("run", { taskId: task.id });
      new webextract.DataExport("rows", { taskId: found.id, scope: "all", path: "rows.ndjson" });
    });
    assert.deepEqual(registered.run?.dependsOn, ["config", "loop", "task", "urls"]);
    assert.deepEqual(registered.rows?.dependsOn, ["found", "run"]);
    const twoOwners = () => {
      const task = webextract.TaskCopy.get("task", "task-1");
      new webextract.TaskActionConfig("one", { taskId: task.id, actions: open });
      new webextract.TaskActionConfig("two", { taskId: task.taskId, actions: open });
    };
    await refuses(twoOwners, 'TaskActionConfig "one"', 'TaskActionConfig "two"', '"Url"');
  });

  it("refuse settings that are declared after the run of their task", async () => {
    const message = await refusalOf(() => {
      new webextract.CloudRun("run", { taskId: "t" });
      new webextract.TaskActionConfig("late", { taskId: "t", actions: open });
    });
    assert.match(
      message,
      /TaskActionConfig "late" configures the task of CloudRun "run".*Declare TaskActionConfig "late" before CloudRun "run"/,
    );
  });

  it("refuse two owners of one property, loop or list of start URLs, and name both", async () => {
    const loop = { actionId: "a", loopType: "TextList", items: ["x"] };
    const pairs: [(taskId: pulumi.Input<string>) => unknown, ...string[]][] = [
      [
        (taskId) => new webextract.TaskActionConfig("second", { taskId, actions: open }),
        'TaskActionConfig "first"',
        'TaskActionConfig "second"',
        '"Url"',
        '"open"',
      ],
      [
        (taskId) => new webextract.TaskParameters("second", { taskId, actions: open }),
        'TaskActionConfig "first"',
        'TaskParameters "second"',
        '"Url"',
      ],
      [
        (taskId) => {
          new webextract.TaskLoopItems("loop", { taskId, ...loop });
          new webextract.TaskParameters("second", {
            taskId,
            actions: { a: { actionType: "LoopAction", loop: { loopType: "TextList", items: ["y"] } } },
          });
        },
        'TaskLoopItems "loop"',
        'TaskParameters "second"',
        '"a"',
      ],
      [
        (taskId) => {
          new webextract.TaskStartUrls("one", { taskId, urls: ["https://a.test"] });
          new webextract.TaskStartUrls("two", { taskId, urls: ["https://a.test"] });
        },
        'TaskStartUrls "one"',
        'TaskStartUrls "two"',
        "start URLs",
      ],
      [
        () => new webextract.ExtractionTask("whole", { from: { adoptTaskId: "t-1" } }),
        'TaskActionConfig "first"',
        'ExtractionTask "whole"',
      ],
    ];
    for (const [second, ...names] of pairs) {
      const program = () => {
        const task = new webextract.TaskCopy("task", { adoptTaskId: "t-1" });
        new webextract.TaskActionConfig("first", { taskId: task.id, actions: open });
        second(task.id);
      };
      await refuses(program, ...names);
    }
  });

  it("say which part of the task two resources manage", async () => {
    const message = await refusalOf(() => {
      new webextract.TaskActionConfig("first", { taskId: "t", actions: open });
      new webextract.TaskActionConfig("second", { taskId: "t", actions: open });
    });
    assert.match(
      message,
      /TaskActionConfig "first" and TaskActionConfig "second" both manage property "Url" of action "open"/,
    );
  });

  it("refuse an ExtractionTask beside resources for parts of its task, in either order and with either name of the task", async () => {
    const adopting = (adoptTaskId: pulumi.Input<string>) =>
      new webextract.ExtractionTask("whole", { from: { adoptTaskId } });
    const pairs: [() => unknown, string, string][] = [
      [
        () => {
          const copied = new webextract.ExtractionTask("whole", { from: { sourceTaskId: "s", taskGroupId: "g" } });
          new webextract.TaskStartUrls("urls", { taskId: copied.id, urls: ["https://a.test"] });
        },
        'ExtractionTask "whole"',
        'TaskStartUrls "urls"',
      ],
      [
        () => {
          const copy = new webextract.TaskCopy("copy", { sourceTaskId: "s", taskGroupId: "g" });
          new webextract.TaskActionConfig("config", { taskId: copy.id, actions: open });
          adopting(copy.taskId);
        },
        'TaskActionConfig "config"',
        'ExtractionTask "whole"',
      ],
      [
        () => {
          adopting("t-1");
          new webextract.TaskLoopItems("loop", { taskId: "t-1", actionId: "a", loopType: "TextList", items: ["x"] });
        },
        'ExtractionTask "whole"',
        'TaskLoopItems "loop"',
      ],
    ];
    for (const [program, ...names] of pairs) {
      await refuses(program, ...names);
    }
  });

  it("make a run depend on the ExtractionTask that takes over its task, and refuse one that is declared after the run", async () => {
    const whole = () => new webextract.ExtractionTask("whole", { from: { adoptTaskId: "t-1" }, actions: open });
    const start = () => new webextract.CloudRun("run", { taskId: "t-1" });
    const registered = await run(() => [whole(), start()]);
    assert.deepEqual(registered.run?.dependsOn, ["whole"]);
    await refuses(() => [start(), whole()], 'ExtractionTask "whole"', 'CloudRun "run"');
  });

  it("treat the same id in two accounts as two tasks", async () => {
    const registered = await run(() => {
      new webextract.TaskActionConfig("ours", { taskId: "t", actions: open });
      new webextract.TaskActionConfig("theirs", { taskId: "t", actions: open, profile: "theirs" });
      new webextract.CloudRun("run", { taskId: "t", profile: "theirs" });
    });
    assert.deepEqual(registered.run?.dependsOn, ["theirs"]);
  });

  it("see no conflict between different properties, different tasks, or unknown ones", async () => {
    const registered = await run(() => {
      const one = new webextract.TaskCopy("one", { sourceTaskId: "s", taskGroupId: "g" });
      const two = new webextract.TaskCopy("two", { sourceTaskId: "s", taskGroupId: "g" });
      const wait = { open: { actionType: "NavigateAction", properties: { Wait: "1" } } };
      new webextract.TaskActionConfig("one-url", { taskId: one.id, actions: open });
      new webextract.TaskActionConfig("one-wait", { taskId: one.id, actions: wait });
      new webextract.TaskActionConfig("one-unknown", { taskId: one.id, actions: pulumi.output(open) });
      new webextract.TaskActionConfig("two-url", { taskId: two.id, actions: open });
      new webextract.TaskActionConfig("other-url", { taskId: pulumi.output("another"), actions: open });
    });
    assert.equal(Object.keys(registered).filter((name) => /^(one|two|other)/.test(name)).length, 7);
  });

  /** Each way to write the id of a task: what a resource of it takes, from the copy. */
  const forms: Record<string, (copy: webextract.TaskCopy) => unknown> = {
    "the id": ({ id }) => id,
    taskId: ({ taskId }) => taskId,
    "the resource": (copy) => copy,
    interpolate: ({ id }) => pulumi.interpolate`${id}`,
    apply: ({ id }) => id.apply((known) => known),
    all: ({ id }) => pulumi.all([id]).apply(([known]) => known),
    output: ({ id }) => pulumi.output(id),
    "a promise": ({ id }) => Promise.resolve(id),
    secret: ({ id }) => pulumi.secret(id),
    "the id as a string of an earlier up": () => "copy-id",
    "the string as an output": () => pulumi.output("copy-id"),
    "the string as a promise": () => Promise.resolve("copy-id"),
  };
  const accounts = { none: undefined, name: "main", output: pulumi.output("main"), secret: pulumi.secret("main") };

  for (const [form, idOf] of Object.entries(forms)) {
    it(`order the resources of a task whose id is written in another way: ${form}`, async () => {
      const registered = await run(() => {
        const copy = new webextract.TaskCopy("copy", { sourceTaskId: "s", taskGroupId: "g" });
        const other = new webextract.TaskCopy("other", { sourceTaskId: "s", taskGroupId: "g" });
        const taskId = () => idOf(copy) as string;
        const urls = { urls: ["https://shop.test/"] };
        new webextract.TaskStartUrls("urls", { taskId: copy.id, ...urls });
        new webextract.TaskActionConfig("config", { taskId: taskId(), actions: open });
        new webextract.TaskStartUrls("other-urls", { taskId: other.id, ...urls });
        new webextract.CloudRun("run", { taskId: taskId() });
        new webextract.DataExport("rows", { taskId: copy.id, scope: "all", path: "a.ndjson" });
        new webextract.DataExport("again", { taskId: taskId(), scope: "notExported", path: "b.ndjson" });
      });
      const settings = ["config", "urls"];
      const ofRun = registered.run?.dependsOn.filter((each) => each !== "copy");
      assert.deepEqual(ofRun, settings);
      for (const name of ["rows", "again"]) {
        assert.deepEqual(
          registered[name]?.dependsOn.filter((each) => each !== "copy"),
          ["run"],
        );
      }
    });

    it(`refuse what is declared in the wrong order, or twice, with the id in another form: ${form}`, async () => {
      const wrong = (second: (taskId: string) => void, first: (taskId: pulumi.Output<string>) => void) =>
        rejectionOf(() => {
          const copy = new webextract.TaskCopy("copy", { sourceTaskId: "s", taskGroupId: "g" });
          first(copy.id);
          second(idOf(copy) as string);
        });
      const config = (name: string) => (taskId: pulumi.Input<string>) =>
        void new webextract.TaskActionConfig(name, { taskId, actions: open });
      const start = (taskId: pulumi.Input<string>) => void new webextract.CloudRun("run", { taskId });
      const read = (taskId: pulumi.Input<string>) =>
        void new webextract.DataExport("rows", { taskId, scope: "all", path: "a.ndjson" });
      assert.match(await wrong(config("config"), start), /"config" configures the task of CloudRun "run"/);
      assert.match(await wrong(config("two"), config("one")), /"one" and .*"two" both manage property "Url"/);
      assert.match(await wrong(start, read), /DataExport "rows" reads the rows of the task of CloudRun "run"/);
    });
  }

  for (const [form, profile] of Object.entries(accounts)) {
    it(`order the resources of a task of a profile that is written in another way: ${form}`, async () => {
      const args = { taskId: "t", profile } as { taskId: string };
      const registered = await run(() => {
        new webextract.TaskStartUrls("urls", { ...args, urls: ["https://shop.test/"] });
        new webextract.TaskActionConfig("config", {
          taskId: "t",
          actions: open,
          ...(profile !== undefined && { profile: "main" }),
        });
        new webextract.CloudRun("run", args);
        new webextract.DataExport("rows", { ...args, scope: "all", path: "a.ndjson" });
        new webextract.CloudRun("other", { taskId: "t", profile: "other" });
      });
      assert.deepEqual(registered.run?.dependsOn, ["config", "urls"]);
      assert.deepEqual(registered.rows?.dependsOn, ["run"]);
      assert.deepEqual(registered.other?.dependsOn, []);
    });
  }

  it("take an export before a run if the program says that the run waits for it", async () => {
    const registered = await run(() => {
      const read = { taskId: "t", scope: "notExported" as const };
      const before = new webextract.DataExport("before", { ...read, path: "a.ndjson" });
      const also = new webextract.DataExport("also", { ...read, path: "b.ndjson" });
      new webextract.CloudRun("run", { taskId: "t", triggers: [also.sha256] }, { dependsOn: before });
    });
    assert.deepEqual(registered.run?.dependsOn, ["also", "before"]);
  });

  it("ignore what another program of the process declared", async () => {
    for (const name of ["first", "second"]) {
      const registered = await run(() => {
        new webextract.TaskActionConfig(name, { taskId: "t", actions: open });
        new webextract.CloudRun("run", { taskId: "t" });
      });
      assert.deepEqual(registered.run?.dependsOn, [name]);
    }
  });

  it("keep nothing outside of a stack, because unit tests create the same resources repeatedly", async () => {
    const made: string[] = [];
    await pulumi.runtime.setMocks({
      newResource: ({ name, inputs }) => {
        made.push(name);
        return { id: name, state: inputs };
      },
      call: () => ({}),
    });
    for (const _test of ["first", "second"]) {
      new webextract.TaskActionConfig("config", { taskId: "t", actions: open });
      new webextract.CloudRun("run", { taskId: "t" });
    }
    await (pulumi.runtime as unknown as { waitForRPCs(): Promise<void> }).waitForRPCs();
    assert.deepEqual(made.sort(), ["config", "config", "run", "run"]);
  });

  it("find the order and the owners of a task within components and under parents", async () => {
    class Shop extends pulumi.ComponentResource {
      readonly run: webextract.CloudRun;
      constructor(name: string, taskId: pulumi.Input<string>) {
        super("test:index:Shop", name);
        new webextract.TaskActionConfig(`${name}-config`, { taskId, actions: open }, { parent: this });
        this.run = new webextract.CloudRun(`${name}-run`, { taskId }, { parent: this });
      }
    }
    const registered = await run(() => {
      const copy = new webextract.TaskCopy("copy", { sourceTaskId: "s", taskGroupId: "g" });
      const shop = new Shop("shop", copy.id);
      new webextract.DataExport("rows", { taskId: shop.run.taskId, scope: "all", path: "rows.ndjson" });
    });
    assert.deepEqual(registered["shop-run"]?.dependsOn, ["copy", "shop-config"]);
    assert.deepEqual(registered.rows?.dependsOn, ["shop-run"]);
    const twice = () => [new Shop("one", "t"), new Shop("two", "t")];
    await refuses(twice, 'TaskActionConfig "two-config"', 'CloudRun "one-run"');
  });

  it("hash the arguments of rerunOn in the program, without options", async () => {
    const hashOf = async (items: string[], onDelete: "retain" | "restore"): Promise<unknown> => {
      const registered = await run(() => {
        const loop = new webextract.TaskLoopItems("loop", {
          taskId: "t",
          actionId: "a",
          loopType: "TextList",
          items,
          onDelete,
        });
        new webextract.CloudRun("run", { taskId: "t", rerunOn: [loop] });
      });
      return registered.run?.inputs.rerunOn;
    };
    const first = await hashOf(["x"], "retain");
    assert.match(String((first as string[])[0]), /^\w+ \w+ [0-9a-f]{64}$/);
    assert.deepEqual(await hashOf(["x"], "restore"), first);
    assert.notDeepEqual(await hashOf(["x", "y"], "retain"), first);
  });

  it("hash a copy the same with and without its present id in adoptTaskId, so that no run starts", async () => {
    const source = { sourceTaskId: "s", taskGroupId: "g" };
    const hashesOf = async (from: { adoptTaskId?: string; taskGroupId?: string }): Promise<unknown> => {
      const registered = await run(() => {
        const copy = new webextract.TaskCopy("copy", { ...source, ...from });
        const whole = new webextract.ExtractionTask("whole", { from: { ...source, ...from } });
        const taken = new webextract.TaskCopy("taken", { adoptTaskId: from.adoptTaskId ?? "first" });
        new webextract.CloudRun("run", { taskId: "t", rerunOn: [copy, whole, taken] });
      });
      return registered.run?.inputs.rerunOn;
    };
    const [copy, whole, taken] = (await hashesOf({})) as string[];
    const named = (await hashesOf({ adoptTaskId: "other" })) as string[];
    assert.deepEqual(named.slice(0, 2), [copy, whole]);
    assert.notEqual(named[2], taken);
    const moved = (await hashesOf({ taskGroupId: "g2" })) as string[];
    assert.ok(moved[0] !== copy && moved[1] !== whole);
  });

  it("have an output for each argument that a check derives, such as the digest of a file", async () => {
    await run(() => {
      const urls = new webextract.TaskStartUrls("urls", { taskId: "t", file: "urls.txt" });
      assert.ok(pulumi.Output.isInstance(urls.sha256) && pulumi.Output.isInstance(urls.hosts));
    });
  });

  it("refuse the option import, which the SDK cannot handle, and name the alternatives", async () => {
    const message = await refusalOf(
      () => new webextract.TaskCopy("task", { adoptTaskId: "task-1" }, { import: "task-1" }),
    );
    assert.match(message, /^TaskCopy "task": the option import does not work .* adoptTaskId/);
  });

  it("refuse text and names that the engine loses anywhere in the arguments, and name where", async () => {
    const loop = { loopType: "TextList", items: ["good", "a\ud800"] };
    const wrong: [at: string, actions: Record<string, object>][] = [
      ["actions.a\\udc00", { "a\udc00": {} }],
      ["actions.b.properties.Url", { b: { properties: { Url: "\ud83d" } } }],
      ["actions.b.properties.__proto__", { b: { properties: { ["__proto__"]: "x" } } }],
      ["actions.b.loop.items[1]", { b: { loop } }],
    ];
    for (const [at, given] of wrong) {
      const actions = given as never;
      assert.equal(
        await refusalOf(() => new webextract.ExtractionTask("task", { from: { adoptTaskId: "t" }, actions })),
        `ExtractionTask "task": neither half of a surrogate pair, such as \\ud800, nor the name __proto__ reaches the engine. It is in ${at}.`,
      );
    }
  });

  it("accept actions and fields with the names of methods", async () => {
    const action = { actionType: "A", properties: { toString: "x", valueOf: "y" } };
    const registered = await run(() => {
      const actions = { toString: action, valueOf: action, constructor: action };
      new webextract.ExtractionTask("task", { from: { adoptTaskId: "t" }, actions });
      const columns = { toString: "int64" as const };
      new webextract.CloudRun("run", { taskId: "t", triggers: [{ toString: "x" }] });
      new webextract.DataExport("rows", { taskId: "t", scope: "all", path: "a.parquet", format: "parquet", columns });
    });
    assert.deepEqual(Object.keys(registered).sort(), ["project-stack", "rows", "run", "task"]);
  });

  it("refuse deleteBeforeReplace: false on a CloudRun, with the reason", async () => {
    for (const deleteBeforeReplace of [true, undefined]) {
      await run(() => void new webextract.CloudRun("run", { taskId: "t" }, { deleteBeforeReplace }));
    }
    const message = await refusalOf(
      () => new webextract.CloudRun("run", { taskId: "t" }, { deleteBeforeReplace: false }),
    );
    assert.match(
      message,
      /^CloudRun "run": the option deleteBeforeReplace must not be false\. A task has one run at a time/,
    );
  });

  it("refuse a value in rerunOn that is not a resource of this package", async () => {
    const message = await refusalOf(() => new webextract.CloudRun("run", { taskId: "t", rerunOn: ["x" as never] }));
    assert.match(message, /rerunOn\[0\] must be a resource of pulumi-webextract/);
  });

  it("refuse a rerunOn that is not a list, and say how to write it", async () => {
    const config = () => new webextract.TaskActionConfig("config", { taskId: "t", actions: open });
    const values = [(it: unknown) => it, (it: unknown) => pulumi.output([it]), async (it: unknown) => [it], () => "x"];
    for (const rerunOn of values) {
      const message = await refusalOf(
        () => new webextract.CloudRun("run", { taskId: "t", rerunOn: rerunOn(config()) as never }),
      );
      assert.match(message, /^CloudRun "run": rerunOn must be a list of resources of pulumi-webextract, and .*; got a/);
    }
  });

  it("refuse a resource among triggers at any depth, because its changes are not visible", async () => {
    const run1 = (triggers: unknown) =>
      new webextract.CloudRun("again", { taskId: "t", triggers: triggers as webextract.Trigger });
    const rows = (triggers: unknown) =>
      new webextract.DataExport("rows", {
        taskId: "t",
        scope: "all",
        path: "rows.ndjson",
        triggers: triggers as webextract.Trigger,
      });
    for (const [make, at, advice] of [
      [(it: unknown) => run1([it]), "triggers[0]", "Use rerunOn: […]"],
      [(it: unknown) => run1({ a: ["b", { c: it }] }), "triggers.a[1].c", "Use rerunOn: […]"],
      [(it: unknown) => rows(it), "triggers", "Name a property of it, such as run.id"],
    ] as const) {
      const program = () => make(new webextract.TaskActionConfig("config", { taskId: "t", actions: open }));
      const problem = `: ${at} is a resource, whose changes would trigger nothing. ${advice}`;
      await refuses(program, problem);
    }
  });

  it("refuse triggers whose changes are not visible, such as dates and Maps", async () => {
    const wrong: [unknown, string, string][] = [
      [[new Date()], "triggers[0]", "Date"],
      [{ a: new Map() }, "triggers.a", "Map"],
      [[new Set()], "triggers[0]", "Set"],
      [[1n], "triggers[0]", "bigint"],
      [[() => 1], "triggers[0]", "function"],
    ];
    for (const [triggers, path, what] of wrong) {
      const program = () => new webextract.CloudRun("again", { taskId: "t", triggers: triggers as webextract.Trigger });
      await refuses(program, 'CloudRun "again": ', path, what);
    }
    assert.match(
      await refusalOf(() => new webextract.CloudRun("again", { taskId: "t", triggers: [new Date() as never] })),
      /^CloudRun "again": triggers\[0\] is a Date, whose changes would trigger nothing\. Give a string/,
    );
  });

  it("pass on all other triggers unchanged", async () => {
    const registered = await run(() => {
      const copy = new webextract.TaskCopy("copy", { sourceTaskId: "s", taskGroupId: "g" });
      const own = Object.create(null, { a: { value: 1, enumerable: true } });
      const triggers = ["a", 1, null, true, copy.taskId, { b: pulumi.secret("c"), own }, Promise.resolve(["d"])];
      new webextract.CloudRun("run", { taskId: "t", triggers: triggers as webextract.Trigger });
      new webextract.CloudRun("other", { taskId: "t", triggers: copy.id });
      new webextract.CloudRun("without", { taskId: "t" });
    });
    const { value } = (registered.run?.inputs.triggers ?? {}) as { value?: unknown };
    assert.deepEqual(value, ["a", 1, null, true, "copy-id", { b: "c", own: { a: 1 } }, ["d"]]);
    assert.equal(registered.other?.inputs.triggers, "copy-id");
    assert.ok(!("triggers" in (registered.without?.inputs ?? {})));
  });

  it("make a whole list and the values derived from it secret if one item is secret", async () => {
    let secrets: boolean[] = [];
    await run(async () => {
      const urls = new webextract.TaskStartUrls("urls", {
        taskId: "t",
        urls: ["https://a.test", pulumi.secret("https://b.test/?key=1")],
      });
      secrets = await Promise.all(
        [urls.urls, urls.hosts, urls.sha256, urls.taskId].map((each) =>
          pulumi.isSecret(each as pulumi.Output<unknown>),
        ),
      );
    });
    assert.deepEqual(secrets, [true, true, true, false]);
  });
});

describe("a Manifest", () => {
  const path = "examples/manifest/tasks";
  const variables = { shop: "https://shop.test" };

  it("refuses a path and variables of other types, and names of tasks that it does not declare", async () => {
    for (const [args, says] of [
      [{ path: [] }, "path must be a string or a non-empty list of strings"],
      [{ path: [path, 1] }, "path must be a string or a non-empty list of strings"],
      [{ path, variables: ["shop"] }, "variables must be a map of values by their names"],
    ] as const) {
      await refuses(() => new webextract.Manifest("tasks", args as never), 'Manifest "tasks"', says);
    }
    await refuses(
      () => new webextract.Manifest("tasks", { path }),
      'Manifest "tasks" has 4 problems:\n',
      "Declared: none.",
    );
    const misspelled = () => new webextract.Manifest("tasks", { path, variables }).runs.book?.lotNo;
    await refuses(misspelled, 'Manifest "tasks" has no "book" in runs; did you mean "books"?', "Declared: books.");
  });

  it("declares what its files have", async () => {
    const registered = await run(() => {
      const manifest = new webextract.Manifest("tasks", { path, variables });
      assert.deepEqual(Object.keys(manifest.exports), ["books-rows"]);
      assert.ok(manifest.tasks.books instanceof webextract.ExtractionTask);
    });
    // The task and its run.
    assert.deepEqual(registered["books-rows"]?.dependsOn, ["books", "books"]);
  });
});
