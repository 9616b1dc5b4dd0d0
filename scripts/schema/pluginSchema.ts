/**
 * schema.json, from which Pulumi checks YAML programs and generates SDKs. Generated from the descriptions and doc comments of the arguments, as the
 * reference is.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Key } from "../../src/config/configKeys";
import { configKeys } from "../../src/config/configKeys";
import type { AnyResource } from "../../src/resources/index";
import { resources } from "../../src/resources/index";
import { typeToken } from "../../src/values/urn";
import { repositoryRoot } from "../commands";
import type { DocComments } from "../docs/docComments";
import { docComments } from "../docs/docComments";
import { examplesOf } from "./examples";
import type { Spec } from "./typeSpecs";
import { TypeSpecs, upperFirst, withFlag, wordsOf } from "./typeSpecs";

export const schemaFile = join(repositoryRoot, "plugin", "schema.json");

export function writePluginSchema(): void {
  writeFileSync(schemaFile, pluginSchema());
}

/** What is wrong with schema.json; an empty string if it is up to date. */
export async function checkPluginSchema(): Promise<string> {
  return readFileSync(schemaFile, "utf8") === pluginSchema() ? "" : "schema.json is out of date. Run: npm run docs";
}

/** Names of types by the paths that would name them. Two resources have the same actions, and one of them would give its name to them. */
const chosenNames = {
  TaskParametersAction: "Action",
  TaskActionConfigAction: "ActionSettings",
  ExtractionTaskFrom: "TaskSource",
  ExtractionTaskStartUrls: "StartUrls",
  ConfigStatuses: "SubtaskStatuses",
};

/** Without a version: the plugin names its own, and a release gives it to the SDKs. */
function pluginSchema(): string {
  const manifest = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8"));
  const { homepage, license, repository } = manifest;
  const source: string = repository.url.replace(/^git\+|\.git$/g, "");
  const docs = docComments();
  const types = new TypeSpecs(chosenNames, docs);
  const ofResources = Object.values(resources).map((each) => [token(each.type), resourceSpec(each, types, docs)]);
  const configuration = configurationOf(types);
  const path = new URL(source).pathname;
  const schema = {
    name: "webextract",
    displayName: "Web Extract",
    description: "Tasks, configuration, cloud runs and exports of a web data extraction service",
    keywords: [
      "kind/native",
      "category/utility",
      ...manifest.keywords.filter((word: string) => word !== "dynamic-provider"),
    ],
    logoUrl: `https://raw.githubusercontent.com${path}/main/docs/images/logo.svg`,
    homepage,
    license,
    repository: source,
    pluginDownloadURL: `github://api.github.com${path}`,
    publisher: path.split("/")[1],
    meta: { moduleFormat: "(.*)" },
    config: { variables: withEnvironment(configuration), defaults: [] },
    provider: {
      description:
        "An account of the service. The arguments are the keys of the configuration; the environment fills in what is not given.",
      inputProperties: configuration,
    },
    resources: { ...Object.fromEntries(ofResources), [token("Manifest")]: manifestSpec(types) },
    functions: functionsOf(docs, types),
    // In alphabetical order, so that a new argument does not move the others.
    types: Object.fromEntries(Object.entries(types.all).sort(([a], [b]) => (a < b ? -1 : 1))),
    language: {
      // The name by default is one of Pulumi's organization on npm, which is not ours.
      nodejs: { packageName: manifest.name, respectSchemaVersion: true },
      python: {
        packageName: pythonPackage,
        respectSchemaVersion: true,
        pyproject: { enabled: true },
        inputTypes: "classes-and-dicts",
      },
      go: {
        respectSchemaVersion: true,
        generateResourceContainerTypes: true,
        importBasePath: `${source.replace("https://", "")}/sdk/go/webextract`,
      },
      java: { basePackage: "io.github.pulumi_webextract", buildFiles: "gradle" },
    },
  };
  // Pages link to each other by their place in the repository, which an SDK does not have.
  const inPages = /\]\((?:\.\.\/)+/g;
  return `${JSON.stringify(schema, null, 2).replace(inPages, `](${source}/blob/main/docs/`)}\n`;
}

export const pythonPackage = "pulumi_webextract";

function token(name: string): string {
  return typeToken(name, "native");
}

function resourceSpec(resource: AnyResource, types: TypeSpecs, docs: DocComments): Spec {
  const { type, args, outputs, secretOutputs = [] } = resource;
  const { comment, fields } = docs.of(`${type}Args`);
  const state = docs.of(`${type}State`).fields;
  const written = types.ofFields(type, args, fields, "written");
  // The comments of arguments are those of the interface of the arguments, and of derived ones those of the state.
  const stored = types.ofFields(type, args, (name) => withComment(state(name), fields(name)?.comment), "stored");
  for (const name of outputs) {
    const documented = state(name);
    if (documented !== undefined && !documented.isInternal) {
      const secret = secretOutputs.includes(name) && { secret: true };
      stored.properties[name] = { ...types.ofDocumented(type + upperFirst(name), documented), ...secret };
      if (!documented.isOptional) stored.required.push(name);
    }
  }
  return {
    description: `${comment.trim()}\n\n${examplesOf(type)}`,
    properties: stored.properties,
    required: stored.required,
    inputProperties: Object.fromEntries(
      Object.entries(written.properties).map(([name, spec]) => [name, withFlag(spec)]),
    ),
    requiredInputs: written.required,
    aliases: [{ type: typeToken(type, "dynamic") }],
  };
}

/** The component. Its outputs are what the engine knows of its resources. */
function manifestSpec(types: TypeSpecs): Spec {
  const docs = docComments();
  const { fields } = docs.of("ManifestArgs");
  const described = (name: string) => types.ofDocumented(`Manifest${upperFirst(name)}`, fields(name)).description;
  const text = { type: "string" };
  const any = { $ref: "pulumi.json#/Any" };
  types.all[token("ManifestExport")] = {
    type: "object",
    description: "What a DataExport of a manifest has written.",
    properties: {
      file: { description: "The path of the file, relative to the program's folder.", ...text },
      rowCount: { description: "The number of rows.", type: "integer" },
    },
    required: ["file", "rowCount"],
  };
  const properties = {
    tasks: { description: "The ids of the tasks by their names.", type: "object", additionalProperties: text },
    runs: {
      description: "The batch numbers (`lotNo`) of the runs by the names of their tasks.",
      type: "object",
      additionalProperties: text,
    },
    exports: {
      description:
        "What was exported, by the names of the exports, such as `novels-rows` for the export `rows` of the task `novels`.",
      type: "object",
      additionalProperties: { $ref: `#/types/${token("ManifestExport")}` },
    },
  };
  return {
    isComponent: true,
    description: `${docs.ofValue("Manifest").replace(/\{@link (\w+)\}/g, "$1")}\n\n${examplesOf("Manifest")}`,
    properties,
    required: Object.keys(properties),
    inputProperties: {
      // Not oneOf: the SDK for Python cannot take a list then.
      path: { description: described("path"), ...any },
      variables: { description: described("variables"), type: "object", additionalProperties: any },
    },
    requiredInputs: ["path"],
  };
}

function withComment<T extends { comment: string } | undefined>(documented: T, comment: string | undefined): T {
  return documented && { ...documented, comment: comment || documented.comment };
}

function configurationOf(types: TypeSpecs): Record<string, Spec> {
  const entries = Object.entries<Key>(configKeys).map(([name, key]) => {
    const { kind, meaning, default: fallback, isSecret, environment } = key;
    const byDefault = fallback === undefined || fallback === "required" ? "" : ` Default: ${fallback}.`;
    const words = wordsOf(kind).map((each) => ` ${each}`);
    const spec: Spec = {
      description: `${upperFirst(meaning)}.${words}${byDefault} Environment: \`${environment}\`.`,
      ...withFlag(types.ofShape(`Config${upperFirst(name)}`, kind, () => undefined, "written")),
      // Profiles contain credentials.
      ...((isSecret || name === "profiles") && { secret: true }),
    };
    return [name, spec] as const;
  });
  return Object.fromEntries(entries);
}

/** With the variables of the environment. Not for the arguments of a provider: an SDK would write the values into the state, credentials too. */
function withEnvironment(configuration: Record<string, Spec>): Record<string, Spec> {
  // The generators read a list or a map from the environment as a string.
  const scalars = Object.entries(configuration).filter(([, { type }]) =>
    /^(string|boolean|number|integer)$/.test(String(type)),
  );
  const named = scalars.map(([name, spec]) => {
    const { environment } = configKeys[name as keyof typeof configKeys];
    return [name, { ...spec, defaultInfo: { environment: [environment] } }];
  });
  return { ...configuration, ...Object.fromEntries(named) };
}

/** The result of a function is an object, so lists have a name in it. */
const functionResults: Record<string, { list?: string; of: string }> = {
  getActions: { list: "tasks", of: "TaskActions[]" },
  getSubtasks: { list: "subtasks", of: "Subtask[]" },
  getData: { of: "GetDataResult" },
  getBatchData: { of: "GetDataResult" },
  getNotExportedData: { of: "GetDataResult" },
};

function functionsOf(docs: DocComments, types: TypeSpecs): Record<string, Spec> {
  const entries = Object.entries(functionResults).map(([name, { list, of }]) => {
    const inputs = types.ofInterface(`${upperFirst(name)}Args`);
    inputs.properties.profile = {
      description: "Name of a set of credentials in `webextract:profiles`. Default: the top-level credentials.",
      type: "string",
    };
    if (name !== "getSubtasks") {
      inputs.properties.plain = {
        description:
          "Whether the result is not a secret. Default false: the data of a service can contain anything. The form that returns no Output requires true.",
        type: "boolean",
      };
    }
    const outputs =
      list === undefined ? types.ofInterface(of) : { properties: { [list]: types.ofType(of) }, required: [list] };
    return [token(name), { description: docs.ofValue(name), inputs, outputs }];
  });
  return Object.fromEntries(entries);
}
