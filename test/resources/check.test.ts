import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isLarge } from "../environment";
import { InProcess, pathOf, unknownText } from "../program/inProcess";

describe("checks of arguments", () => {
  const folder = mkdtempSync(join(tmpdir(), "webextract-check-"));
  const providers = new InProcess({ baseUrl: "http://127.0.0.1:1" }, folder);
  const returned = new InProcess({ baseUrl: "http://127.0.0.1:1", markScope: "returned" });
  const onlyProfiles = new InProcess({
    profiles: JSON.stringify({ us: { baseUrl: "http://127.0.0.1:1" }, eu: { baseUrl: "http://127.0.0.1:2" } }),
  });
  after(() => rmSync(folder, { recursive: true }));

  const file = (name: string, content: string | Buffer): string => {
    writeFileSync(join(folder, name), content);
    return name;
  };

  it("finds all problems at once, each with its property path", async () => {
    const args = {
      taskId: "",
      actions: { open: { actionType: 7, properties: { Url: null, Wait: [3] } }, shut: { properties: {} } },
      onDelete: "forget",
      colour: "red",
    };
    assert.deepEqual((await providers.paths("TaskActionConfig", args)).sort(), [
      "actions.open.actionType",
      "actions.open.properties.Url",
      "actions.open.properties.Wait",
      "actions.shut.actionType",
      "actions.shut.properties",
      "colour",
      "onDelete",
      "taskId",
    ]);
  });

  it("finds several problems at different depths of one argument", async () => {
    const loop = { loopType: "TextList", items: ["a", ""], itemsFile: "none.txt" };
    const actions = { each: { loop }, other: { actionType: "A" }, odd: { actionType: 1, loop: { items: [" "] } } };
    assert.deepEqual((await providers.paths("TaskParameters", { taskId: "t", actions })).sort(), [
      "actions.each.actionType",
      "actions.each.loop.items",
      "actions.each.loop.items[1]",
      "actions.odd.actionType",
      "actions.odd.loop.items[0]",
      "actions.odd.loop.loopType",
      "actions.other",
    ]);
    const from = { sourceTaskId: "s", adoptTaskId: true };
    const whole = {
      from,
      actions: { odd: { loop: 1 }, other: { actionType: "A" } },
      startUrls: { urls: ["no"], x: 1 },
    };
    assert.deepEqual((await providers.paths("ExtractionTask", whole)).sort(), [
      "actions.odd.actionType",
      "actions.odd.loop",
      "actions.other",
      "from.adoptTaskId",
      "from.taskGroupId",
      "startUrls.urls[0]",
      "startUrls.x",
    ]);
  });

  it("returns refused arguments unchanged, because an up does not accept an unknown value", async () => {
    const args = { sourceTaskId: "", taskGroupId: "group-1", onDelete: "forget" };
    const { inputs, failures } = await providers.provider("TaskCopy").check({}, args);
    assert.equal(failures?.length, 2);
    assert.deepEqual(inputs, args);
  });

  it("names a missing argument", async () => {
    const loop = { actionId: "a", loopType: "UrlList", items: ["x"] };
    assert.deepEqual(await providers.paths("TaskLoopItems", loop), ["taskId"]);
    assert.deepEqual(await providers.paths("TaskCopy", {}), ["sourceTaskId"]);
    assert.deepEqual(await providers.paths("TaskCopy", { sourceTaskId: "t" }), ["taskGroupId"]);
  });

  it("accepts unknown values at any depth", async () => {
    const args = {
      taskId: unknownText,
      actions: { open: { actionType: "NavigateAction", properties: { Url: unknownText } } },
    };
    assert.deepEqual(await providers.checked("TaskActionConfig", args), args);
  });

  it("converts a list to one string, and a list with an unknown item to an unknown value", async () => {
    const loop = { taskId: "t", actionId: "a", loopType: "TextList" };
    const known = await providers.checked("TaskLoopItems", { ...loop, items: ["red", "grün"] });
    assert.equal(known.items, "red\ngrün\n");
    assert.equal(known.count, 2);
    const unknown = await providers.checked("TaskLoopItems", { ...loop, items: ["red", unknownText] });
    assert.deepEqual([unknown.items, unknown.count, unknown.sha256], [unknownText, unknownText, unknownText]);
  });

  it("converts nested lists in the same way", async () => {
    const startUrls = { urls: ["https://a.test", unknownText] };
    const loop = (...items: string[]) => ({ a: { actionType: "LoopAction", loop: { loopType: "TextList", items } } });
    const whole = { from: { adoptTaskId: "t" }, actions: loop("red", unknownText), startUrls };
    const checked = await providers.checked("ExtractionTask", whole);
    assert.deepEqual(checked.startUrls, {
      urls: unknownText,
      count: unknownText,
      sha256: unknownText,
      hosts: unknownText,
    });
    const ofLoop = { items: unknownText, count: unknownText, sha256: unknownText };
    assert.deepEqual(checked.actions, { a: { actionType: "LoopAction", loop: { loopType: "TextList", ...ofLoop } } });
    assert.deepEqual(await providers.paths("TaskParameters", { taskId: "t", actions: loop("ok", "", "a\rb") }), [
      "actions.a.loop.items[1]",
      "actions.a.loop.items[2]",
    ]);
  });

  it("accepts its own string again, which ignoreChanges passes", async () => {
    const loop = { taskId: "t", actionId: "a", loopType: "TextList" };
    const first = await providers.checked("TaskLoopItems", { ...loop, items: ["red", "green"] });
    const again = await providers.checked("TaskLoopItems", { ...loop, items: first.items });
    assert.deepEqual(again, first);
  });

  it("names empty items and items with a line break by their index, and shortens a long list of problems", async () => {
    const loop = { taskId: "t", actionId: "a", loopType: "TextList" };
    const paths = (items: unknown) => providers.paths("TaskLoopItems", { ...loop, items });
    assert.deepEqual(await paths(["ok", "", "a\nb"]), ["items[1]", "items[2]"]);
    const firstTen = Array.from({ length: 10 }, (_, index) => `items[${index}]`);
    assert.deepEqual(await paths(new Array(500).fill("")), [...firstTen, "items"]);
  });

  it("refuses an empty list, both a list and a file, and neither", async () => {
    const urls = { taskId: "t" };
    for (const given of [{ urls: [] }, { urls: ["https://a.test"], file: "x.txt" }, {}]) {
      assert.deepEqual(await providers.paths("TaskStartUrls", { ...urls, ...given }), ["urls"]);
    }
  });

  it("names an invalid URL by its index, in a file by its line", async () => {
    const urls = ["https://a.test", "ftp://b.test"];
    assert.deepEqual(await providers.paths("TaskStartUrls", { taskId: "t", urls }), ["urls[1]"]);
    const name = file("urls.txt", "https://a.test\n\nnot a url\nhttps://b.test\n");
    const problems = await providers.problems("TaskStartUrls", { taskId: "t", file: name });
    assert.deepEqual(problems.map(lineOf), [3]);
  });

  it("names the line that is not UTF-8, also after the first chunk, and also an incomplete last line", async () => {
    const lines = async (content: Buffer): Promise<(number | undefined)[]> =>
      (await providers.problems("TaskStartUrls", { taskId: "t", file: file("bad.txt", content) })).map(lineOf);
    const good = "\ufeffhttps://a.test/grün\n\n";
    const rest = "https://a.test/\n".repeat(20_000);
    const bad = Buffer.from("https://b.test/\xe9\n", "latin1");
    assert.deepEqual(await lines(Buffer.concat([Buffer.from(good), bad, Buffer.from(rest)])), [3]);
    assert.deepEqual(await lines(Buffer.concat([Buffer.from(good + rest), bad])), [20_003]);
    assert.deepEqual(await lines(Buffer.from(`${good}https://b.test/ü`).subarray(0, -1)), [3]);
  });

  it("takes the same lines from a string as from a file, also with a byte order mark and a line of megabytes", async () => {
    for (const text of ["\ufeffa", "\n\ufeffa\r", "a\r\nb\r", `a\n${"x".repeat(isLarge ? 24_000_000 : 1_000_000)}`]) {
      const check = (list: object) =>
        providers.checked("TaskLoopItems", { taskId: "t", actionId: "a", loopType: "TextList", ...list });
      const [given, inFile] = [await check({ items: text }), await check({ itemsFile: file("same.txt", text) })];
      assert.deepEqual([given.count, given.sha256], [inFile.count, inFile.sha256]);
    }
  });

  it("refuses a carriage return inside a line, in lists from any source", async () => {
    const lines = "https://a.test/1\rhttps://b.test/2\r";
    const loop = { loopType: "TextList" };
    const cr = file("cr.txt", lines);
    const problems = async (type: string, args: object): Promise<unknown[]> =>
      (await providers.problems(type, { ...args })).map((problem) => [pathOf(problem), lineOf(problem)]);
    const taskId = "t";
    const ofLoop = { ...loop, itemsFile: cr };
    const actions = { each: { actionType: "LoopAction", loop: ofLoop } };
    assert.deepEqual(await problems("TaskStartUrls", { taskId, file: cr }), [["file", 1]]);
    assert.deepEqual(await problems("TaskLoopItems", { taskId, actionId: "a", ...ofLoop }), [["itemsFile", 1]]);
    assert.deepEqual(await problems("TaskParameters", { taskId, actions }), [["actions.each.loop.itemsFile", 1]]);
    const whole = { from: { adoptTaskId: "t" }, startUrls: { file: cr } };
    assert.deepEqual(await problems("ExtractionTask", whole), [["startUrls.file", 1]]);
    assert.deepEqual(await problems("TaskStartUrls", { taskId, urls: `https://c.test/\n${lines}` }), [
      ["urls[1]", undefined],
    ]);
    const mixed = file("mixed.txt", "https://a.test/\r\n\r\r\n\nhttps://b.test/\r\r\nhttps://c.test/\r");
    assert.deepEqual(await problems("TaskStartUrls", { taskId, file: mixed }), [["file", 4]]);
    // As a read found it, and ignoreChanges brings it back.
    const read = { taskId, actionId: "a", ...loop, items: "a\rb\n" };
    assert.equal((await providers.checked("TaskLoopItems", read, read)).items, read.items);
  });

  it("refuses a NUL character wherever the system gets a name of a file or a part of a command", async () => {
    const nul = "a\0b";
    const rows = { taskId: "t", scope: "all", path: nul, pipe: ["psql", nul], checks: { schema: nul } };
    assert.deepEqual((await providers.paths("DataExport", rows)).sort(), ["checks.schema", "path", "pipe[1]"]);
    const loop = { loopType: "TextList", itemsFile: nul };
    assert.deepEqual(await providers.paths("TaskLoopItems", { taskId: "t", actionId: "a", ...loop }), ["itemsFile"]);
    const actions = { each: { actionType: "LoopAction", loop } };
    const whole = { from: { adoptTaskId: "t" }, actions, startUrls: { file: nul } };
    assert.deepEqual((await providers.paths("ExtractionTask", whole)).sort(), [
      "actions.each.loop.itemsFile",
      "startUrls.file",
    ]);
    assert.deepEqual(await providers.paths("TaskStartUrls", { taskId: "t", file: nul }), ["file"]);
  });

  it("treats a file with a byte order mark, CRLF and blank lines as the same list", async () => {
    const plain = file("plain.txt", "https://a.test/1\nhttps://b.test/2\n");
    const windows = file("windows.txt", "\ufeffhttps://a.test/1\r\n\r\nhttps://b.test/2");
    const [one, two, list] = await Promise.all([
      providers.checked("TaskStartUrls", { taskId: "t", file: plain }),
      providers.checked("TaskStartUrls", { taskId: "t", file: windows }),
      providers.checked("TaskStartUrls", { taskId: "t", urls: ["https://a.test/1", "https://b.test/2"] }),
    ]);
    assert.equal(one.sha256, two.sha256);
    assert.equal(one.sha256, list.sha256);
    assert.deepEqual(one.hosts, ["a.test", "b.test"]);
    assert.equal(two.count, 2);
  });

  it("removes a byte order mark from the first item, also if the program has read the file", async () => {
    const loop = { taskId: "t", actionId: "a", loopType: "TextList" };
    const plain = await providers.checked("TaskLoopItems", { ...loop, items: ["red", "green"] });
    for (const items of [["\ufeffred", "green"], "\ufeffred\r\ngreen\r\n"]) {
      assert.deepEqual(await providers.checked("TaskLoopItems", { ...loop, items }), plain);
    }
  });

  it("keeps the previous spelling of a loop's type if only its case differs", async () => {
    const loop = { loopType: "UrlList", items: ["x"] };
    const shouting = { ...loop, loopType: "URLLIST" };
    const own = { taskId: "t", actionId: "a" };
    const before = await providers.checked("TaskLoopItems", { ...own, ...loop });
    assert.deepEqual(await providers.checked("TaskLoopItems", { ...own, ...shouting }, before), before);
    const other = await providers.checked("TaskLoopItems", { ...own, ...loop, loopType: "TextList" }, before);
    assert.equal(other.loopType, "TextList");
    const actions = (declared: object) => ({
      taskId: "t",
      actions: { a: { actionType: "LoopAction", loop: declared } },
    });
    const parameters = await providers.checked("TaskParameters", actions(loop));
    assert.deepEqual(await providers.checked("TaskParameters", actions(shouting), parameters), parameters);
  });

  it("keeps the previous string if it has the same lines, also without a line end after the last line", async () => {
    const loop = { taskId: "t", actionId: "a", loopType: "TextList", items: ["red", "green"] };
    const first = await providers.checked("TaskLoopItems", loop);
    const old = { ...first, items: "red\ngreen" };
    assert.deepEqual(await providers.checked("TaskLoopItems", loop, old), old);
    const changed = await providers.checked("TaskLoopItems", { ...loop, items: ["red"] }, old);
    assert.equal(changed.items, "red\n");
    const subtasks = { taskId: "t", desired: "stopped", subTaskIds: ["b", "a"] };
    const before = { ...(await providers.checked("CloudSubtasks", subtasks)), subTaskIds: "a\nb" };
    assert.deepEqual(await providers.checked("CloudSubtasks", subtasks, before), before);
  });

  it("adds a new host after the existing ones, so that a diff shows only the new host", async () => {
    const urls = ["https://b.test/1", "https://c.test/1"];
    const before = await providers.checked("TaskStartUrls", { taskId: "t", urls });
    assert.deepEqual(before.hosts, ["b.test", "c.test"]);
    const added = { urls: ["https://a.test/1", ...urls] };
    const after = await providers.checked("TaskStartUrls", { taskId: "t", ...added }, before);
    assert.deepEqual(after.hosts, ["b.test", "c.test", "a.test"]);
    const whole = { from: { adoptTaskId: "t" } };
    const wholeBefore = await providers.checked("ExtractionTask", { ...whole, startUrls: { urls } });
    const wholeAfter = await providers.checked("ExtractionTask", { ...whole, startUrls: added }, wholeBefore);
    assert.deepEqual((wholeAfter.startUrls as { hosts: string[] }).hosts, after.hosts);
  });

  it("treats null and undefined as not given, except for properties and items, which it refuses", async () => {
    const from = { sourceTaskId: "s", taskGroupId: "g" };
    const loop = { loopType: "TextList", items: ["a"] };
    const whole = {
      from,
      actions: { each: { actionType: "LoopAction", loop } },
      startUrls: { urls: ["https://a.test/"] },
    };
    const withNothing = {
      from: { ...from, adoptTaskId: null },
      actions: { each: { actionType: "LoopAction", properties: null, loop: { ...loop, itemsFile: null, mode: null } } },
      startUrls: { ...whole.startUrls, file: null },
      retry: null,
    };
    assert.deepEqual(
      await providers.checked("ExtractionTask", withNothing),
      await providers.checked("ExtractionTask", whole),
    );
    const run = { taskId: "t", triggers: { a: null } };
    assert.deepEqual(await providers.problems("CloudRun", { ...run, statuses: { failed: ["x"], stopped: ["X"] } }), [
      'statuses gives the status "x" two meanings',
    ]);
    const statuses = { failed: ["broken"] };
    assert.deepEqual(await providers.checked("CloudRun", { ...run, statuses: { ...statuses, finished: null } }), {
      ...run,
      statuses,
    });
    const actions = { each: { actionType: null, properties: { Url: null }, loop: null } };
    assert.deepEqual(await providers.paths("TaskParameters", { taskId: "t", actions }), [
      "actions.each.actionType",
      "actions.each.properties.Url",
    ]);
    const items = { taskId: "t", actionId: "a", ...loop, items: [null] };
    assert.deepEqual(await providers.paths("TaskLoopItems", items), ["items[0]"]);
  });

  it("keeps the adopted lotNo after it is removed from the program, until a new run starts", async () => {
    const args = { taskId: "t", triggers: { day: "monday" } };
    const before = { ...args, adoptLotNo: "5" };
    assert.deepEqual(await providers.checked("CloudRun", args, before), before);
    const waiting = { ...args, waitFor: "finished" };
    assert.deepEqual(await providers.checked("CloudRun", waiting, before), { ...waiting, adoptLotNo: "5" });
    for (const again of [
      { ...args, triggers: { day: unknownText } },
      { ...args, triggers: { day: "tuesday" } },
    ]) {
      assert.deepEqual(await providers.checked("CloudRun", again, before), again);
    }
    assert.deepEqual(await providers.checked("CloudRun", args), args);
  });

  it("refuses an append that would have to remove items", async () => {
    const loop = { taskId: "t", actionId: "a", loopType: "TextList", mode: "append" };
    const before = await providers.checked("TaskLoopItems", { ...loop, items: ["a", "b", "c"] });
    assert.deepEqual(await providers.paths("TaskLoopItems", { ...loop, items: ["a", "c", "d"] }, before), ["items"]);
    assert.deepEqual(await providers.paths("TaskLoopItems", { ...loop, items: ["d", "c", "b", "a"] }, before), []);
  });

  it("accepts only new lines at the end of a file to append", async () => {
    const loop = {
      taskId: "t",
      actionId: "a",
      loopType: "TextList",
      mode: "append",
      itemsFile: file("list.txt", "a\nb\n"),
    };
    const before = await providers.checked("TaskLoopItems", loop);
    file("list.txt", "a\nb\nc\n");
    assert.deepEqual(await providers.paths("TaskLoopItems", loop, before), []);
    file("list.txt", "c\na\nb\n");
    assert.deepEqual(await providers.paths("TaskLoopItems", loop, before), ["itemsFile"]);
  });

  it("takes an integer as an id, as programs in YAML get it from the configuration", async () => {
    const { sourceTaskId, taskGroupId } = await providers.checked("TaskCopy", {
      sourceTaskId: 639308323497,
      taskGroupId: 0,
    });
    assert.deepEqual([sourceTaskId, taskGroupId], ["639308323497", "0"]);
    const subtasks = { taskId: 9007199254740991, subTaskIds: [2, "10"], desired: "stopped" };
    const { taskId, subTaskIds } = await providers.checked("CloudSubtasks", subtasks);
    assert.deepEqual([taskId, subTaskIds], ["9007199254740991", "10\n2\n"]);
    for (const given of [2 ** 53, 6.39e17, 1.5, "6.39E+17", "6,39308E+17", "1E+5"]) {
      assert.deepEqual(await providers.paths("CloudSubtasks", { ...subtasks, taskId: given }), ["taskId"]);
      assert.deepEqual(await providers.paths("CloudSubtasks", { ...subtasks, subTaskIds: [given] }), ["subTaskIds[0]"]);
    }
    for (const sound of ["1e5", "E+17", "6.39E+17a", "a6.39E+17"]) {
      assert.deepEqual(await providers.paths("CloudSubtasks", { ...subtasks, taskId: sound }), []);
    }
  });

  it("enforces the rules of an export", async () => {
    const rows = { taskId: "t", scope: "batch", path: "rows.ndjson" };
    const paths = (args: object) => providers.paths("DataExport", { ...rows, ...args });
    assert.deepEqual(await paths({}), ["lotNo"]);
    assert.deepEqual(await paths({ scope: "all", lotNo: "1", path: "{when}" }), ["lotNo", "path"]);
    assert.deepEqual(await paths({ scope: "notExported", markExported: true, maxRows: 5 }), ["path", "maxRows"]);
    const marking = { ...rows, scope: "all", path: "{n}", markExported: true, maxRows: 5 };
    assert.deepEqual(await returned.paths("DataExport", marking), ["scope"]);
  });

  it("warns of what seems to be a secret in a path and in a command, when they change, and does not show it", async () => {
    const own = new InProcess({ baseUrl: "http://127.0.0.1:1" }, folder);
    const rows = { taskId: "t", scope: "all", path: "rows-token=hidden.ndjson", pipe: ["psql", "password=hidden"] };
    const checked = await own.checked("DataExport", rows);
    assert.deepEqual(own.warnings, [
      "path seems to contain a secret, which the state would store in plain text.",
      "pipe seems to contain a secret, which the state would store in plain text.",
    ]);
    await own.checked("DataExport", rows, checked);
    await own.checked("DataExport", {
      taskId: "t",
      scope: "all",
      path: "s3://rows/tokens/{time}.ndjson",
      pipe: ["psql"],
    });
    assert.equal(own.warnings.length, 2);
  });

  it("refuses a profile that is not configured", async () => {
    assert.deepEqual(await providers.paths("TaskCopy", { adoptTaskId: "t", profile: "other" }), ["profile"]);
  });

  it("requires a profile if only profiles have a service", async () => {
    assert.deepEqual(await onlyProfiles.paths("TaskCopy", { adoptTaskId: "t" }), ["profile"]);
    assert.deepEqual(await onlyProfiles.paths("TaskCopy", { adoptTaskId: "t", profile: "us" }), []);
    assert.deepEqual(await onlyProfiles.paths("TaskCopy", { adoptTaskId: "t", profile: unknownText }), []);
    await assert.rejects(onlyProfiles.provider("TaskCopy").read("t", {}), /profile/);
  });

  it("never shows the value of a property", async () => {
    const secret = "hunter2-hunter2";
    const problems = await providers.problems("TaskStartUrls", {
      taskId: [secret],
      urls: [`nope:${secret}`],
      file: secret,
    });
    const options = { adoptTaskId: "t", onDelete: secret, forceDestroy: secret };
    const maxRows = { taskId: "t", scope: "all", path: "rows", maxRows: 4402.5 };
    problems.push(...(await providers.problems("TaskCopy", options)));
    problems.push(...(await providers.problems("DataExport", maxRows)));
    problems.push(...(await providers.problems("CloudRun", { taskId: "t", timeoutSeconds: -4402 })));
    assert.deepEqual(problems.map(pathOf).sort(), [
      "forceDestroy",
      "maxRows",
      "onDelete",
      "taskId",
      "timeoutSeconds",
      "urls",
    ]);
    assert.doesNotMatch(problems.join(), /hunter2|4402/);
  });

  describe("say", () => {
    const taskId = "t";
    const loop = { taskId, actionId: "a", loopType: "TextList" };
    const action = (declared: object) => ({ taskId, actions: { a: { actionType: "A", ...declared } } });
    const rows = { taskId, scope: "all", path: "rows.ndjson" };
    const url = "https://a.test/";
    const files: Record<string, string | Buffer> = {
      "blank.txt": "\n \r\n",
      "latin1.txt": Buffer.from("https://b.test/\xe9\n", "latin1"),
      "nonsense.txt": `${url}\nnonsense\n`,
      "cr.txt": `${url}\r${url}\r`,
    };
    const relative = "relative to the program's folder";
    const inFolder = (name: string): string => `(looked for "${join(folder, name)}", ${relative})`;
    const tooLarge =
      "an integer beyond 9007199254740991, whose last digits may be lost. Write it in quotes, and in the configuration of a YAML program in two pairs of them: '\"…\"'";
    // The one place that knows the wording. A type, its arguments, and what is said of them.
    const cases: [string, Record<string, unknown>, string][] = [
      ["TaskCopy", { adoptTaskId: "" }, "adoptTaskId must be a non-empty string; got an empty string"],
      ["TaskCopy", { adoptTaskId: 7.5 }, "adoptTaskId must be a non-empty string; got a number"],
      ["TaskCopy", { adoptTaskId: 2 ** 53 }, `adoptTaskId must be a non-empty string; got ${tooLarge}`],
      [
        "TaskCopy",
        { adoptTaskId: "6.39E+17" },
        "adoptTaskId must be a non-empty string; got a number that a spreadsheet has shortened. Format the column as text there, and take the id from the service again",
      ],
      [
        "CloudSubtasks",
        { taskId: "t", subTaskIds: ["6.39E+17"], desired: "started" },
        "subTaskIds[0] must be a non-empty string without a line break; got a number that a spreadsheet has shortened. Format the column as text there, and take the id from the service again",
      ],
      [
        "TaskLoopItems",
        { ...loop, items: [" "] },
        "items[0] must be a non-empty string without a line break; got a blank string",
      ],
      [
        "TaskActionConfig",
        action({ properties: { p: null } }),
        "actions.a.properties.p must be a string, a number or a boolean; got nothing",
      ],
      [
        "TaskParameters",
        action({ properties: { p: Number.NaN } }),
        "actions.a.properties.p must be a string, a number or a boolean; got a number that is not finite",
      ],
      [
        "TaskActionConfig",
        action({ properties: { p: 2 ** 53 } }),
        `actions.a.properties.p must be a string, a number or a boolean; got ${tooLarge}`,
      ],
      [
        "TaskActionConfig",
        action({ properties: {} }),
        "actions.a.properties must be a non-empty map; got an empty map",
      ],
      ["TaskParameters", action({ loop: 1 }), "actions.a.loop must be a map; got a number"],
      ["TaskParameters", action({}), "actions.a declares nothing: give properties, loop or both"],
      [
        "TaskLoopItems",
        { ...loop, items: ["a\nb"] },
        "items[0] must be a non-empty string without a line break; got a string with a line break",
      ],
      ["TaskStartUrls", { taskId, file: "a\0b" }, "file must be a non-empty string; got a string with a NUL character"],
      ["TaskStartUrls", { taskId, urls: [] }, "urls must be a non-empty list of strings; got an empty list"],
      ["TaskStartUrls", { taskId, urls: ["ftp://a.test"] }, "urls[0] is not an http or https URL"],
      ["TaskStartUrls", { taskId }, "urls is missing: give either urls or file"],
      ["TaskStartUrls", { taskId, urls: [url], file: "x" }, "urls and file are both given: give either urls or file"],
      [
        "TaskStartUrls",
        { taskId, file: "nowhere" },
        `file names "nowhere", which does not exist ${inFolder("nowhere")}`,
      ],
      ["TaskStartUrls", { taskId, file: "." }, `file names ".", which is not a file`],
      ["TaskStartUrls", { taskId, file: "blank.txt" }, `file names "blank.txt", which has only blank lines`],
      ["TaskStartUrls", { taskId, file: "latin1.txt" }, `file names "latin1.txt", which is not UTF-8 in line 1`],
      ["TaskStartUrls", { taskId, file: "nonsense.txt" }, 'file "nonsense.txt", line 2 is not an http or https URL'],
      [
        "TaskStartUrls",
        { taskId, file: "cr.txt" },
        'file "cr.txt", line 1 has a carriage return inside a line; end each line with LF or CRLF',
      ],
      [
        "TaskStartUrls",
        { taskId, urls: `${url}\r${url}` },
        "urls[0] has a carriage return inside a line; end each line with LF or CRLF",
      ],
      ["TaskCopy", { adoptTaskId: "t", forceDestroy: "x" }, "forceDestroy must be a boolean; got a string"],
      [
        "TaskCopy",
        { adoptTaskId: "t", onDelete: "x" },
        'onDelete must be "retain" or "removeData"; got another string',
      ],
      [
        "TaskCopy",
        { adoptTaskId: "t", colour: "red" },
        "colour is not a valid name; valid names: sourceTaskId, taskGroupId, adoptTaskId, onDelete, forceDestroy, retry, profile",
      ],
      [
        "TaskCopy",
        {},
        "sourceTaskId is missing: give sourceTaskId and taskGroupId for a copy, or adoptTaskId for a task that exists",
      ],
      ["TaskCopy", { sourceTaskId: "s" }, "taskGroupId is missing: a copy needs sourceTaskId and taskGroupId"],
      ["CloudRun", {}, "taskId is missing: it must be a non-empty string"],
      ["CloudRun", { taskId, timeoutSeconds: -1 }, "timeoutSeconds must be a number of at least 0; got another number"],
      ["DataExport", { ...rows, maxRows: 0 }, "maxRows must be an integer of at least 1; got another number"],
      ["DataExport", { ...rows, scope: "batch" }, 'lotNo is missing: scope "batch" reads the rows of one run'],
      ["DataExport", { ...rows, lotNo: "1" }, 'lotNo needs scope "batch"; got scope "all"'],
      [
        "DataExport",
        { ...rows, path: "{when}" },
        'path contains "{when}"; known placeholders are {lotNo}, {time}, {n}',
      ],
      [
        "DataExport",
        { ...rows, markExported: true },
        "path must contain {lotNo}, {time} or {n} with markExported: a file of marked rows is never overwritten",
      ],
      [
        "DataExport",
        { ...rows, path: "{n}", markExported: true, maxRows: 5 },
        'maxRows cannot be combined with markExported if webextract:markScope is "task", because the service then marks all rows of the task',
      ],
      [
        "TaskCopy",
        { adoptTaskId: "t", profile: "x" },
        'profile is not configured. There is no profile "x" in webextract:profiles. Known: none.',
      ],
    ];
    before(() => Object.entries(files).forEach(([name, content]) => void file(name, content)));
    for (const [type, args, message] of cases) {
      it(`${type}: ${message.slice(0, 60).replaceAll(folder, "")}`, async () => {
        assert.deepEqual(await providers.problems(type, args), [message]);
      });
    }

    it("how many problems of a list are left out", async () => {
      const problems = await providers.problems("TaskLoopItems", { ...loop, items: new Array(500).fill("") });
      assert.equal(problems.at(-1), "items has 490 more problems like these");
    });

    it("why an append is refused", async () => {
      const appended = { ...loop, mode: "append" };
      const before = await providers.checked("TaskLoopItems", { ...appended, items: ["a", "b", "c"] });
      assert.deepEqual(await providers.problems("TaskLoopItems", { ...appended, items: ["a", "c"] }, before), [
        'items lacks 1 of the items sent before; mode "append" cannot remove items. Use mode "replace"',
      ]);
      const fromFile = { ...appended, itemsFile: file("list.txt", "a\nb\n") };
      const earlier = await providers.checked("TaskLoopItems", fromFile);
      file("list.txt", "c\n");
      assert.deepEqual(await providers.problems("TaskLoopItems", fromFile, earlier), [
        'itemsFile does not begin with the 2 items sent before; mode "append" can only add items at the end. Use mode "replace"',
      ]);
    });

    it("which argument the configuration does not allow", async () => {
      const marking = { ...rows, path: "{n}", markExported: true };
      assert.deepEqual(await returned.problems("DataExport", marking), [
        'scope must be "notExported" with markExported if webextract:markScope is "returned", because only the rows returned by that read are marked',
      ]);
      assert.deepEqual(await onlyProfiles.problems("TaskCopy", { adoptTaskId: "t" }), [
        "profile is missing. No profile is given, and webextract:baseUrl is not configured. Name a profile (known: us, eu), or set webextract:baseUrl.",
      ]);
    });
  });
});

/** The line of a file or list that a problem names. */
function lineOf(problem: string): number | undefined {
  const line = /\bline (\d+)/.exec(problem)?.[1];
  return line === undefined ? undefined : Number(line);
}
