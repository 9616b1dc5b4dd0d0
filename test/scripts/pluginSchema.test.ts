import assert from "node:assert/strict";
import manifest from "../../package.json";
import schema from "../../plugin/schema.json";
import { configKeys } from "../internals/config";
import { resources } from "../internals/resources";
import { readPage } from "../pages/readPage";

interface Spec {
  $ref?: string;
  type?: string;
  description?: string;
  oneOf?: Spec[];
  items?: Spec;
  additionalProperties?: Spec;
  properties?: Record<string, Spec & { secret?: boolean }>;
  required?: string[];
}

const types = schema.types as Record<string, Spec>;
type ResourceSpec = Record<"properties" | "inputProperties", Record<string, Spec & { secret?: boolean }>> &
  Record<"required" | "requiredInputs", string[]> & { aliases: { type: string }[]; isComponent?: boolean };
const ofResources = schema.resources as unknown as Record<string, ResourceSpec>;

function resource(type: string): ResourceSpec {
  const found = ofResources[`webextract:index:${type}`];
  assert.ok(found);
  return found;
}

function type(name: string): Spec {
  const found = types[`webextract:index:${name}`];
  assert.ok(found);
  return found;
}

describe("schema.json", () => {
  it("has every resource with the arguments that a program writes, and an alias with the type of the dynamic resource", () => {
    assert.deepEqual(
      Object.keys(ofResources),
      [...Object.keys(resources), "Manifest"].map((each) => `webextract:index:${each}`),
    );
    for (const [name, { args }] of Object.entries(resources)) {
      const { inputProperties, requiredInputs, aliases } = resource(name);
      const written = Object.entries(args).filter(([, { kind }]) => kind !== undefined);
      assert.deepEqual(
        Object.keys(inputProperties),
        written.map(([each]) => each),
      );
      assert.deepEqual(
        requiredInputs,
        written.flatMap(([each, { required }]) => (required ? [each] : [])),
      );
      assert.deepEqual(aliases, [{ type: `pulumi-nodejs:dynamic/webextract:${name}` }]);
    }
  });

  it("has Manifest as a component, with the arguments of the class and maps as outputs", () => {
    const { isComponent, inputProperties, requiredInputs, properties } = resource("Manifest");
    assert.equal(isComponent, true);
    assert.deepEqual([Object.keys(inputProperties), requiredInputs], [["path", "variables"], ["path"]]);
    assert.deepEqual(Object.keys(properties), ["tasks", "runs", "exports"]);
  });

  it("advertises names that are ours", () => {
    const { language, keywords, logoUrl, repository } = schema;
    assert.equal(language.nodejs.packageName, manifest.name);
    assert.equal(language.python.packageName, manifest.name.replace("-", "_"));
    assert.equal(`https://${language.go.importBasePath}`, `${repository}/sdk/go/webextract`);
    assert.ok(["kind/native", "web-scraping"].every((word) => keywords.includes(word)));
    const [file = ""] = /docs\/.*$/.exec(logoUrl) ?? [];
    assert.match(readPage(file), /<svg /);
  });

  it("names the variable of the environment of each scalar of the configuration, and none that an SDK would write into the state of a provider", () => {
    const named = Object.entries(schema.config.variables).flatMap(([name, spec]) =>
      "defaultInfo" in spec ? [[name, ...spec.defaultInfo.environment]] : [],
    );
    const others = [
      "notExecutedCodes",
      "profiles",
      "actionTypes",
      "allowedFolders",
      "statuses",
      "forceDestroy",
      "movedFrom",
    ];
    const scalars = Object.entries(configKeys).filter(([name]) => !others.includes(name));
    assert.deepEqual(
      named,
      scalars.map(([name, { environment }]) => [name, environment]),
    );
    assert.ok(!JSON.stringify(schema.provider).includes("defaultInfo"));
  });

  it("tells lists and scalars that a program writes from the strings of the state", () => {
    const { inputProperties, properties, required } = resource("TaskLoopItems");
    assert.deepEqual([inputProperties.items?.type, properties.items?.type], ["array", "string"]);
    assert.deepEqual(required, ["taskId", "actionId", "loopType", "count", "sha256"]);
    assert.deepEqual(
      type("Action").properties?.properties?.additionalProperties?.oneOf?.map((each) => each.type),
      ["string", "number", "boolean"],
    );
    assert.equal(type("ActionState").properties?.properties?.additionalProperties?.type, "string");
    assert.deepEqual(
      Object.keys(type("ActionLoopState").properties ?? {}).filter((name) => !type("ActionLoop").properties?.[name]),
      ["count", "sha256"],
    );
  });

  it("allows any map in place of an entry whose key the user chooses: the language host of YAML refuses some keys otherwise", () => {
    const closed: string[] = [];
    const look = (spec: Spec, path: string): void => {
      const each = spec.additionalProperties;
      if (each?.$ref?.startsWith("#/types/") && types[each.$ref.slice("#/types/".length)]?.properties) {
        closed.push(path);
      }
      for (const part of [...(spec.oneOf ?? []), spec.items, each]) if (part) look(part, path);
      for (const [name, part] of Object.entries(spec.properties ?? {})) look(part, `${path}.${name}`);
    };
    for (const [name, { inputProperties }] of Object.entries(ofResources)) look({ properties: inputProperties }, name);
    for (const [name, spec] of Object.entries(types).filter(([each]) => !/State$|:CheckedRows$/.test(each)))
      look(spec, name);
    look({ properties: schema.provider.inputProperties as Record<string, Spec> }, "provider");
    assert.deepEqual(closed, []);
    const entries = [
      resource("ExtractionTask").inputProperties.actions,
      resource("TaskActionConfig").inputProperties.actions,
      type("DataExportChecks").properties?.fields,
    ];
    for (const entry of entries) assert.equal(entry?.additionalProperties?.oneOf?.[1]?.type, "object");
  });

  it("marks credentials and responses of the service as secret, and shows no internal state", () => {
    const secretNames = (properties: Record<string, object>): string[] =>
      Object.entries(properties).flatMap(([name, spec]) => ("secret" in spec ? [name] : []));
    const credentials = ["accessToken", "refreshToken", "apiKey", "profiles"];
    assert.deepEqual(secretNames(schema.config.variables), credentials);
    assert.deepEqual(secretNames(schema.provider.inputProperties), credentials);
    const { properties } = resource("TaskParameters");
    assert.deepEqual(secretNames(properties), ["updatedParameters"]);
    assert.ok(!("previous" in properties) && !("pending" in properties));
  });

  it("has no argument named as code generation names its own types, and no default, which SDKs would add to the arguments", () => {
    assert.deepEqual(
      Object.keys(types).filter((name) => name.endsWith("Args")),
      [],
    );
    assert.ok(!JSON.stringify(schema).includes('"default":'));
    assert.match(JSON.stringify(resource("CloudRun").inputProperties.pollSeconds), /Default: 10\./);
    const { description, type: kind } = resource("CloudRun").inputProperties.waitFor ?? {};
    assert.equal(kind, "string");
    assert.match(String(description), / Must be "started" or "finished"\. Default: "started"\.$/);
  });

  it("has an enum for each choice, beside which any string is allowed, and no list beside another form: the SDK for Python cannot take it", () => {
    assert.deepEqual(type("CloudRunWaitFor"), { type: "string", enum: [{ value: "started" }, { value: "finished" }] });
    const column = resource("DataExport").inputProperties.columns?.additionalProperties;
    assert.deepEqual([column?.type, column?.oneOf?.[0]], ["string", { type: "string" }]);
    assert.doesNotMatch(JSON.stringify(schema), /"oneOf":\[(?:[^[\]]|\[[^\]]*\])*"type":"array"/);
  });
});
