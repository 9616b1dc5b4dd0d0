import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { PluginWorld } from "../../plugin/test/pluginClient";
import { ManifestFolder } from "../manifest/manifestFolder";
import { InProcess, pathOf } from "../program/inProcess";

const site = pulumi.output("https://shop.test");
/** What the SDK of Node.js makes of an Output. */
const text = String(site);
const json = JSON.stringify({ url: site });

/** What the SDKs of other languages make of it, and what an error says to use there. */
const others = {
  "pulumi.Output.concat": "Calling __str__ on an Output[T] is not supported.\n\nTo get the value of an Output[T]",
  "Output.Format": "Calling [ToString] on an [Output<T>] is not supported.\r\n\r\nTo get the value",
  "Output.format": "Calling 'toString' on an 'Output<T>' is not supported.\n\nThis is because",
  "pulumi.Sprintf": "{0x3c4cd4112000}",
};
const byVerb = [
  "{0xc0000b2000}",
  "{OutputState:0x14000112070}",
  "{%!s(*internal.OutputState=&{0x3c4cd413e680 <nil> 1 x <nil> true})}",
];

/** Arguments with the text of an Output in each of their strings, and the paths of these. */
const given: Readonly<Record<string, readonly [args: Record<string, unknown>, paths: readonly string[]]>> = {
  TaskCopy: [
    { sourceTaskId: text, taskGroupId: json, adoptTaskId: text, onDelete: text, profile: text },
    ["adoptTaskId", "onDelete", "profile", "sourceTaskId", "taskGroupId"],
  ],
  TaskActionConfig: [
    { taskId: text, actions: { open: { actionType: text, properties: { Url: `${text}/start`, Body: json } } } },
    ["actions.open.actionType", "actions.open.properties.Body", "actions.open.properties.Url", "taskId"],
  ],
  TaskParameters: [
    { taskId: "t", actions: { each: { actionType: "A", loop: { loopType: text, items: ["a", text] } } } },
    ["actions.each.loop.items[1]", "actions.each.loop.loopType"],
  ],
  TaskLoopItems: [{ taskId: "t", actionId: text, loopType: "TextList", itemsFile: text }, ["actionId", "itemsFile"]],
  TaskStartUrls: [{ taskId: "t", urls: ["https://a.test/", `${text}/b`] }, ["urls[1]"]],
  ExtractionTask: [
    { from: { sourceTaskId: text, taskGroupId: "g" }, startUrls: { urls: `https://a.test/\n${text}\n` } },
    ["from.sourceTaskId", "startUrls.urls"],
  ],
  CloudRun: [
    { taskId: "t", triggers: [text, { at: { any: [1, json] } }], adoptLotNo: text, retry: text },
    ["adoptLotNo", "retry", "triggers[0]", "triggers[1].at.any[1]"],
  ],
  CloudSubtasks: [{ taskId: "t", subTaskIds: ["1", text], desired: "stopped" }, ["subTaskIds[1]"]],
  DataExport: [
    {
      taskId: "t",
      scope: "batch",
      lotNo: text,
      path: `${text}.csv`,
      pipe: ["sh", "-c", `psql ${text}`],
      columns: [text],
      checks: { fields: { price: { pattern: text } } },
      triggers: text,
    },
    ["checks.fields.price.pattern", "columns[0]", "lotNo", "path", "pipe[2]", "triggers"],
  ],
};

describe("the text of an Output", () => {
  const providers = new InProcess({ baseUrl: "http://127.0.0.1:1" });
  const ofText = /^\S+ has the text that Pulumi puts in place of the value of an Output\. To make a string/;

  for (const [type, [args, paths]] of Object.entries(given)) {
    it(`is refused in each string of ${type}, with its path`, async () => {
      const problems = (await providers.problems(type, args)).filter((problem) => ofText.test(problem));
      assert.deepEqual(problems.map(pathOf).sort(), paths);
    });
  }

  it("is refused in keys, and of a long list a few times", async () => {
    const args = { taskId: "t", actions: { [text]: { actionType: "A", properties: { [`${text}x`]: "1" } } } };
    const [key, ...more] = await providers.problems("TaskActionConfig", args);
    assert.match(key ?? "", /^actions has a key with the text that Pulumi puts/);
    assert.deepEqual(more, []);
    const urls = Array.from({ length: 5000 }, () => text);
    assert.equal((await providers.problems("TaskStartUrls", { taskId: "t", urls })).length, 11);
  });

  it("has a function in each language that makes a string of an Output", async () => {
    const advice = async (value: string): Promise<string> =>
      (await providers.problems("TaskCopy", { sourceTaskId: value, taskGroupId: "g" })).join();
    assert.equal(
      await advice(text),
      "sourceTaskId has the text that Pulumi puts in place of the value of an Output. To make a string of an Output, use pulumi.interpolate`…`, pulumi.concat(…) or output.apply(…)",
    );
    assert.match(await advice(json), /use pulumi\.jsonStringify\(…\) in place of JSON\.stringify/);
    for (const [name, value] of Object.entries(others)) {
      assert.ok((await advice(`${value} and more`)).includes(`use ${name}(`), value);
    }
    for (const value of byVerb) {
      assert.match(await advice(`https://${value}/start`), /use pulumi\.Sprintf/);
    }
    for (const value of ["{0x1f}", "0xc0000b2000", "Calling [toString] on a string", "{0}"]) {
      assert.equal(await advice(value), "");
    }
  });

  it("is refused by the native plugin: in arguments, functions, a lookup, and the arguments of a provider", async () => {
    const world = await PluginWorld.create();
    try {
      const { failures } = await world.check("TaskCopy", { sourceTaskId: text, taskGroupId: "group-1" });
      assert.match(failures.join(), /sourceTaskId has the text/);
      const invoked = await world.invoke("webextract:index:getActions", {
        taskIds: ["task-1", text],
        actionTypes: [json],
      });
      const paths = invoked.failures.map((each) => pathOf(each.replace(/^getActions /, "")));
      assert.deepEqual(paths.sort(), ["actionTypes[0]", "taskIds[1]"]);
      await assert.rejects(world.read("CloudRun", text, { taskId: "task-1" }), /cannot be looked up.*id has the text/);
      const config = await world.checkConfig({ baseUrl: "https://service.test", accessToken: text });
      assert.match(config.failures.join(), /accessToken has the text that Pulumi puts/);
      assert.deepEqual(world.operations(), []);
    } finally {
      await world.remove();
    }
  });

  it("is refused in a variable of a manifest, with the place where it is used", () => {
    const folder = new ManifestFolder();
    try {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of a manifest
      const url = "${site}/start";
      folder.write({
        "shop.yaml": `from: { adoptTaskId: t }\nactions:\n  open: { actionType: A, properties: { Url: "${url}" } }\n`,
      });
      const { problems } = folder.read(".", { site: text });
      assert.deepEqual(
        problems.map(({ line, path, reason }) => [line, path, reason.slice(0, 18)]),
        [[3, "actions.open.properties.Url", "has the text that "]],
      );
    } finally {
      folder.remove();
    }
  });
});
