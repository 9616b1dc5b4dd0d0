import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InProcess, unknownText } from "../program/inProcess";

describe("checks of arguments", () => {
  const folder = mkdtempSync(join(tmpdir(), "webextract-check-"));
  const providers = new InProcess({ baseUrl: "http://127.0.0.1:1" }, folder);
  after(() => rmSync(folder, { recursive: true }));

  const file = (name: string, content: string | Buffer): string => {
    writeFileSync(join(folder, name), content);
    return name;
  };

  it("finds all problems at once, each with its property path", async () => {
    const args = {
      taskId: "",
      actions: { open: { actionType: 7, properties: { Url: null, Wait: 3 } }, shut: { properties: {} } },
      onDelete: "forget",
      colour: "red",
    };
    assert.deepEqual(await providers.problems("TaskActionConfig", args), [
      "colour is not a valid name; valid names: taskId, actions, onDelete, profile",
      "taskId must be a non-empty string; got an empty string",
      "actions.open.actionType must be a non-empty string; got a number",
      "actions.open.properties.Url must be a string; got nothing",
      "actions.open.properties.Wait must be a string; got a number",
      "actions.shut.actionType is missing: give a non-empty string",
      "actions.shut.properties must be a non-empty map; got an empty map",
      'onDelete must be "retain" or "restore"; got another string',
    ]);
  });

  it("finds what is wrong deep in an argument beside what is wrong elsewhere in it", async () => {
    const loop = { loopType: "TextList", items: ["a", ""], itemsFile: "none.txt" };
    const actions = { each: { loop }, other: { actionType: "A" }, odd: { actionType: 1, loop: { items: [" "] } } };
    assert.deepEqual((await providers.problems("TaskParameters", { taskId: "t", actions })).sort(), [
      "actions.each.actionType is missing: give a non-empty string",
      "actions.each.loop.items and actions.each.loop.itemsFile are both given: give either items or itemsFile",
      "actions.each.loop.items[1] must be a non-empty string without a line break; got an empty string",
      "actions.odd.actionType must be a non-empty string; got a number",
      "actions.odd.loop.items[0] must be a non-empty string without a line break; got a blank string",
      "actions.odd.loop.loopType is missing: give a non-empty string",
      "actions.other declares nothing: give properties, loop or both",
    ]);
    const from = { sourceTaskId: "s", adoptTaskId: 1 };
    const whole = {
      from,
      actions: { odd: { loop: 1 }, other: { actionType: "A" } },
      startUrls: { urls: ["no"], x: 1 },
    };
    assert.deepEqual((await providers.problems("ExtractionTask", whole)).sort(), [
      "actions.odd.actionType is missing: give a non-empty string",
      "actions.odd.loop must be a map; got a number",
      "actions.other declares nothing: give properties, loop or both",
      "from.adoptTaskId must be a non-empty string; got a number",
      "from.taskGroupId is missing: a copy needs sourceTaskId and taskGroupId",
      "startUrls.urls[0] is not an http or https URL",
      "startUrls.x is not a valid name; valid names: urls, file",
    ]);
  });

  it("hands refused arguments back as they came, with no unknown among them, which an up does not take", async () => {
    const args = { sourceTaskId: "", taskGroupId: "group-1", onDelete: "forget" };
    const { inputs, failures } = await providers.provider("TaskCopy").check({}, args);
    assert.equal(failures?.length, 2);
    assert.deepEqual(inputs, args);
  });

  it("names what is missing", async () => {
    assert.deepEqual(await providers.problems("TaskLoopItems", { actionId: "a", loopType: "UrlList", items: ["x"] }), [
      "taskId is missing: give a non-empty string",
    ]);
    assert.deepEqual(await providers.problems("TaskCopy", {}), [
      "sourceTaskId is missing: give sourceTaskId and taskGroupId for a copy, or adoptTaskId for a task that exists",
    ]);
    assert.deepEqual(await providers.problems("TaskCopy", { sourceTaskId: "t" }), [
      "taskGroupId is missing: a copy needs sourceTaskId and taskGroupId",
    ]);
  });

  it("accepts what a preview does not know yet, at any depth", async () => {
    const args = {
      taskId: unknownText,
      actions: { open: { actionType: "NavigateAction", properties: { Url: unknownText } } },
    };
    assert.deepEqual(await providers.checked("TaskActionConfig", args), args);
  });

  it("makes one text of a list, and an unknown of a list with an unknown element", async () => {
    const loop = { taskId: "t", actionId: "a", loopType: "TextList" };
    const known = await providers.checked("TaskLoopItems", { ...loop, items: ["red", "grün"] });
    assert.equal(known.items, "red\ngrün\n");
    assert.equal(known.count, 2);
    const unknown = await providers.checked("TaskLoopItems", { ...loop, items: ["red", unknownText] });
    assert.deepEqual([unknown.items, unknown.count, unknown.sha256], [unknownText, unknownText, unknownText]);
  });

  it("does the same for lists in the middle of other arguments", async () => {
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
    assert.deepEqual(await providers.problems("TaskParameters", { taskId: "t", actions: loop("ok", "", "a\rb") }), [
      "actions.a.loop.items[1] must be a non-empty string without a line break; got an empty string",
      "actions.a.loop.items[2] must be a non-empty string without a line break; got a string with a line break",
    ]);
  });

  it("accepts its own text again, as it comes back with ignoreChanges", async () => {
    const loop = { taskId: "t", actionId: "a", loopType: "TextList" };
    const first = await providers.checked("TaskLoopItems", { ...loop, items: ["red", "green"] });
    const again = await providers.checked("TaskLoopItems", { ...loop, items: first.items });
    assert.deepEqual(again, first);
  });

  it("names empty items and items with a line break by their index, and sums up what is too much to read", async () => {
    const loop = { taskId: "t", actionId: "a", loopType: "TextList" };
    assert.deepEqual(await providers.problems("TaskLoopItems", { ...loop, items: ["ok", "", "a\nb"] }), [
      "items[1] must be a non-empty string without a line break; got an empty string",
      "items[2] must be a non-empty string without a line break; got a string with a line break",
    ]);
    const many = await providers.problems("TaskLoopItems", { ...loop, items: new Array(500).fill("") });
    assert.equal(many.length, 11);
    assert.equal(many.at(-1), "items has 490 more problems like these");
  });

  it("refuses an empty list, both a list and a file, and neither", async () => {
    const urls = { taskId: "t" };
    assert.deepEqual(await providers.problems("TaskStartUrls", { ...urls, urls: [] }), [
      "urls must be a non-empty list of strings; got an empty list",
    ]);
    assert.deepEqual(await providers.problems("TaskStartUrls", { ...urls, urls: ["https://a.test"], file: "x.txt" }), [
      "urls and file are both given: give either urls or file",
    ]);
    assert.deepEqual(await providers.problems("TaskStartUrls", urls), ["urls is missing: give either urls or file"]);
  });

  it("names a bad URL by its index, in a file by its line", async () => {
    assert.deepEqual(
      await providers.problems("TaskStartUrls", { taskId: "t", urls: ["https://a.test", "ftp://b.test"] }),
      ["urls[1] is not an http or https URL"],
    );
    const name = file("urls.txt", "https://a.test\n\nnot a url\nhttps://b.test\n");
    assert.deepEqual(await providers.problems("TaskStartUrls", { taskId: "t", file: name }), [
      'file "urls.txt", line 3 is not an http or https URL',
    ]);
  });

  it("says where it looked for a file that is not there, is a folder, holds nothing, or is not UTF-8", async () => {
    const of = async (name: string): Promise<string> =>
      (await providers.problems("TaskStartUrls", { taskId: "t", file: name })).join();
    assert.match(
      await of("nowhere.txt"),
      /^file there is no file "nowhere.txt" \(looked for ".*nowhere.txt", relative/,
    );
    assert.match(await of("."), /is not a file/);
    assert.match(await of(file("blank.txt", "\n \r\n")), /holds no line that is not blank/);
    assert.match(
      await of(file("latin1.txt", Buffer.from("https://a.test\nhttps://b.test/\xe9\n", "latin1"))),
      /not UTF-8/,
    );
  });

  it("names the line that is not UTF-8, also one behind the first piece that is read, and a last one that breaks off", async () => {
    const line = async (content: Buffer): Promise<string> =>
      (await providers.problems("TaskStartUrls", { taskId: "t", file: file("bad.txt", content) })).join();
    const good = "\ufeffhttps://a.test/grün\n\n";
    const rest = "https://a.test/\n".repeat(20_000);
    const bad = Buffer.from("https://b.test/\xe9\n", "latin1");
    assert.match(await line(Buffer.concat([Buffer.from(good), bad, Buffer.from(rest)])), /not UTF-8 in line 3 /);
    assert.match(await line(Buffer.concat([Buffer.from(good + rest), bad])), /not UTF-8 in line 20003 /);
    assert.match(await line(Buffer.from(`${good}https://b.test/ü`).subarray(0, -1)), /not UTF-8 in line 3 /);
  });

  it("refuses a carriage return that ends no line, wherever a list comes from: all would be one item, checked by its beginning", async () => {
    const lines = "https://a.test/1\rhttps://b.test/2\r";
    const ends = "holds a carriage return that ends no line: an item is one line";
    const inFile = `line 1 ${ends}; save the file with LF or CRLF line ends`;
    const loop = { loopType: "TextList" };
    const cr = file("cr.txt", lines);
    const problems = (type: string, args: object) => providers.problems(type, { taskId: "t", ...args });
    const ofLoop = { ...loop, itemsFile: cr };
    const actions = { each: { actionType: "LoopAction", loop: ofLoop } };
    assert.deepEqual(await problems("TaskStartUrls", { file: cr }), [`file "cr.txt", ${inFile}`]);
    assert.deepEqual(await problems("TaskLoopItems", { actionId: "a", ...ofLoop }), [`itemsFile "cr.txt", ${inFile}`]);
    assert.deepEqual(await problems("TaskParameters", { actions }), [
      `actions.each.loop.itemsFile "cr.txt", ${inFile}`,
    ]);
    const whole = { from: { adoptTaskId: "t" }, startUrls: { file: cr } };
    assert.deepEqual(await providers.problems("ExtractionTask", whole), [`startUrls.file "cr.txt", ${inFile}`]);
    assert.deepEqual(await problems("TaskStartUrls", { urls: `https://c.test/\n${lines}` }), [
      `urls, line 2 ${ends}; end each line with LF or CRLF`,
    ]);
    const mixed = file("mixed.txt", "https://a.test/\r\n\r\r\n\nhttps://b.test/\r\r\nhttps://c.test/\r");
    assert.deepEqual(await problems("TaskStartUrls", { file: mixed }), [
      `file "mixed.txt", ${inFile.replace("line 1", "line 4")}`,
    ]);
    // As a read found it, and ignoreChanges brings it back.
    const read = { taskId: "t", actionId: "a", ...loop, items: "a\rb\n" };
    assert.equal((await providers.checked("TaskLoopItems", read, read)).items, read.items);
  });

  it("takes a file with a byte order mark, CRLF and blank lines as the same list", async () => {
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

  it("takes no byte order mark into the first item, also where the program has read the file itself", async () => {
    const loop = { taskId: "t", actionId: "a", loopType: "TextList" };
    const plain = await providers.checked("TaskLoopItems", { ...loop, items: ["red", "green"] });
    for (const items of [["\ufeffred", "green"], "\ufeffred\r\ngreen\r\n"]) {
      assert.deepEqual(await providers.checked("TaskLoopItems", { ...loop, items }), plain);
    }
  });

  it("keeps a loop's type as it was written before where only its case differs", async () => {
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

  it("leaves a text of before as it is where it says the same, also one whose last line has no end", async () => {
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

  it("puts a new host behind those that were there, so that a diff shows it alone", async () => {
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

  it("takes what is given as nothing as not given, but for properties and items, which it refuses", async () => {
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
    const statuses = { failed: ["broken"] };
    assert.deepEqual(await providers.checked("CloudRun", { ...run, statuses: { ...statuses, finished: null } }), {
      ...run,
      statuses,
    });
    const actions = { each: { actionType: null, properties: { Url: null }, loop: null } };
    assert.deepEqual(await providers.problems("TaskParameters", { taskId: "t", actions }), [
      "actions.each.actionType is missing: give a non-empty string",
      "actions.each.properties.Url must be a string; got nothing",
    ]);
    assert.deepEqual(
      await providers.problems("TaskLoopItems", { taskId: "t", actionId: "a", ...loop, items: [null] }),
      ["items[0] must be a non-empty string without a line break; got nothing"],
    );
  });

  it("keeps the lotNo that was taken over when it is no longer named, until a new run is wanted", async () => {
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

  it("refuses an append that would have to take items out", async () => {
    const loop = { taskId: "t", actionId: "a", loopType: "TextList", mode: "append" };
    const before = await providers.checked("TaskLoopItems", { ...loop, items: ["a", "b", "c"] });
    assert.deepEqual(await providers.problems("TaskLoopItems", { ...loop, items: ["a", "c", "d"] }, before), [
      'items lacks 1 of the items sent before; mode "append" cannot remove items. Use mode "replace"',
    ]);
    assert.deepEqual(await providers.problems("TaskLoopItems", { ...loop, items: ["d", "c", "b", "a"] }, before), []);
  });

  it("lets an append from a file only grow at its end", async () => {
    const loop = {
      taskId: "t",
      actionId: "a",
      loopType: "TextList",
      mode: "append",
      itemsFile: file("list.txt", "a\nb\n"),
    };
    const before = await providers.checked("TaskLoopItems", loop);
    file("list.txt", "a\nb\nc\n");
    assert.deepEqual(await providers.problems("TaskLoopItems", loop, before), []);
    file("list.txt", "c\na\nb\n");
    assert.deepEqual(await providers.problems("TaskLoopItems", loop, before), [
      'itemsFile does not begin with the 2 items sent before; mode "append" can only add items at the end. Use mode "replace"',
    ]);
  });

  it("holds the rules of an export", async () => {
    const rows = { taskId: "t", scope: "batch", path: "rows.ndjson" };
    assert.deepEqual(await providers.problems("DataExport", rows), [
      'lotNo is missing: scope "batch" reads the rows of one run',
    ]);
    assert.deepEqual(await providers.problems("DataExport", { ...rows, scope: "all", lotNo: "1", path: "{when}" }), [
      'lotNo goes with scope "batch" only, the scope is "all"',
      'path holds "{when}"; known are {lotNo}, {time}, {n}',
    ]);
    assert.deepEqual(
      await providers.problems("DataExport", { ...rows, scope: "notExported", markExported: true, maxRows: 5 }),
      [
        "path must hold {lotNo}, {time} or {n} with markExported: rows that are marked must never be overwritten",
        'maxRows cannot go with markExported, for the service marks all of the task\'s rows; see webextract:markScope ("returned" allows it)',
      ],
    );
    const returned = new InProcess({ baseUrl: "http://127.0.0.1:1", markScope: "returned" });
    assert.deepEqual(
      await returned.problems("DataExport", { ...rows, scope: "all", path: "{n}", markExported: true, maxRows: 5 }),
      [
        'scope must be "notExported" with markExported where webextract:markScope is "returned": only rows handed out by that read are marked',
      ],
    );
  });

  it("refuses a profile that is not configured", async () => {
    const [problem] = await providers.problems("TaskCopy", { adoptTaskId: "t", profile: "other" });
    assert.match(problem ?? "", /^profile is not configured. There is no profile "other".* Known: none/);
  });

  it("refuses to do without a profile where only profiles know the service", async () => {
    const profiles = JSON.stringify({ us: { baseUrl: "http://127.0.0.1:1" }, eu: { baseUrl: "http://127.0.0.1:2" } });
    const onlyProfiles = new InProcess({ profiles });
    assert.deepEqual(await onlyProfiles.problems("TaskCopy", { adoptTaskId: "t" }), [
      "profile is missing. It names no profile, and webextract:baseUrl is not configured. Name a profile (known: us, eu), or set webextract:baseUrl.",
    ]);
    assert.deepEqual(await onlyProfiles.problems("TaskCopy", { adoptTaskId: "t", profile: "us" }), []);
    assert.deepEqual(await onlyProfiles.problems("TaskCopy", { adoptTaskId: "t", profile: unknownText }), []);
    await assert.rejects(
      onlyProfiles.provider("TaskCopy").read("t", {}),
      /^It names no profile, and webextract:baseUrl is not/,
    );
  });

  it("never shows the value of a property", async () => {
    const secret = "hunter2-hunter2";
    const problems = await providers.problems("TaskStartUrls", {
      taskId: [secret],
      urls: [`nope:${secret}`],
      file: secret,
    });
    assert.ok(problems.length > 0);
    assert.equal(problems.join().includes(secret), false);
    const options = { adoptTaskId: "t", onDelete: secret, forceDestroy: secret };
    assert.deepEqual(await providers.problems("TaskCopy", options), [
      'onDelete must be "removeData" or "retain"; got another string',
      "forceDestroy must be a boolean; got a string",
    ]);
    const numbers = { taskId: "t", scope: "all", path: "rows", maxRows: 4402.5 };
    assert.deepEqual(await providers.problems("DataExport", numbers), [
      "maxRows must be an integer of at least 1; got another number",
    ]);
    assert.deepEqual(await providers.problems("CloudRun", { taskId: "t", timeoutSeconds: -4402 }), [
      "timeoutSeconds must be a number of at least 0; got another number",
    ]);
  });
});
