import assert from "node:assert/strict";
import schema from "../../../plugin/schema.json";
import { YamlWorld } from "./yamlWorld";

interface WithProperties {
  properties?: object;
  inputProperties?: object;
}

/** The names of all properties, at any depth. */
const names = [
  ...new Set(
    [schema.resources, schema.types]
      .flatMap((each): WithProperties[] => Object.values(each))
      .flatMap(({ properties, inputProperties }) => [
        ...Object.keys(properties ?? {}),
        ...Object.keys(inputProperties ?? {}),
      ]),
  ),
];

/** The language host of YAML takes the entry of a key for the field of the same name of an entry's type, if the schema lets it. */
describe("keys that the user chooses, in a YAML program", function () {
  this.timeout(120_000);

  const forEach = (value: unknown): Record<string, unknown> => Object.fromEntries(names.map((name) => [name, value]));
  const properties = { Url: "https://a.test/", Wait: 3, On: true };
  const loop = { loopType: "UrlList", items: ["https://a.test/1"], mode: "replace" };
  const actions = forEach({ actionType: "NavigateAction", properties, loop });
  const from = { sourceTaskId: "template-1", taskGroupId: "group-1" };

  it("can be the name of any property, as action id, as name of an action's property, and as name of a field", async () => {
    assert.ok(["loop", "actionType", "properties", "mode", "type"].every((name) => names.includes(name)));
    const settings = forEach({ actionType: "NavigateAction", properties: forEach("1") });
    const fields = forEach({ filled: 1, type: "url", unique: true });
    const world = await YamlWorld.create({
      resources: {
        task: { type: "webextract:ExtractionTask", properties: { from, actions } },
        parameters: { type: "webextract:TaskParameters", properties: { taskId: "template-1", actions } },
        config: { type: "webextract:TaskActionConfig", properties: { taskId: "task-9", actions: settings } },
        rows: {
          type: "webextract:DataExport",
          properties: { taskId: "template-1", scope: "all", path: "rows.ndjson", checks: { fields } },
        },
      },
    });
    try {
      assert.match((await world.project.preview()).output, /\+ 5 to create/);
    } finally {
      await world.remove();
    }
  });

  it("do not hide mistakes in their values, which have their path", async () => {
    const wrong = {
      loop: { actoinType: "NavigateAction", loop },
      open: { actionType: "NavigateAction", loop: { items: [3] } },
    };
    const world = await YamlWorld.create({
      resources: { task: { type: "webextract:ExtractionTask", properties: { from, actions: wrong } } },
    });
    try {
      const { output } = await world.project.preview({ expect: "failure" });
      assert.match(output, /actions\.loop\.actoinType is not a valid name/);
      assert.match(output, /actions\.loop\.actionType is missing/);
      assert.match(output, /actions\.open\.loop\.loopType is missing/);
    } finally {
      await world.remove();
    }
  });
});
