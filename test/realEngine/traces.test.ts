import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { slowIt } from "../environment";
import { pluginFolder } from "./plugin/nativeWorld";
import { World } from "./world";

interface Span {
  name: string;
  spanId: string;
  parentSpanId?: string;
  attributes?: { key: string; value: Record<string, unknown> }[];
  status?: { code?: unknown };
}

/** A span with the resource of its process. */
type Collected = Span & { service: unknown };

const secret = "https://secret-of-the-program.test/";
const program = `
const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-1", onDelete: "retain" });
const settings = new TaskActionConfig("settings", { taskId: copy.id, actions: {
  open: { actionType: "NavigateAction", properties: { Url: require("@pulumi/pulumi").secret("${secret}") } } } });
const run = new CloudRun("run", { taskId: copy.id, rerunOn: [settings], waitFor: "finished", pollSeconds: 0 });
exports.rows = require("pulumi-webextract").getDataOutput({ taskId: "template-1", maxRows: 1 }).total;
new DataExport("rows", { taskId: copy.id, scope: "batch", lotNo: run.id, path: "rows.ndjson" });
`;

/** For each span of ours, its name and the names of those around it. */
function chains(spans: readonly Collected[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const around = (span: Collected): string[] => {
    const parent = byId.get(span.parentSpanId ?? "");
    return parent === undefined ? [span.name] : [...around(parent), span.name];
  };
  return spans
    .filter(({ service }) => service === "pulumi-webextract")
    .map((span) => around(span).slice(-3).join(" > "));
}

for (const front of ["classes", "plugin"] as const) {
  describe(`the traces of a command, with the ${front}`, () => {
    let world: World;
    before(async () => {
      world = await World.create({
        program,
        emulator: { behaviour: { readsUntilFinished: 2 } },
        ...(front === "plugin" && { config: { "webextract:native": "true" }, path: [pluginFolder()] }),
      });
    });
    after(() => world.remove());

    const usual = front === "classes" ? it : slowIt;
    usual("have each request, wait and export as a child of the engine's step, and no value", async () => {
      world.emulator.fault({ operation: "getSubtasks", kind: "status", status: 503, times: 1 });
      const file = join(world.project.root, "traces.json");
      // Spans of Pulumi's own have the values of the program otherwise, secrets too.
      const env = { PULUMI_TRACING_NO_PAYLOADS: "true" };
      await world.project.up({ args: ["--otel-traces", `file://${file}`], env });
      const text = readFileSync(file, "utf8");
      const lines = text.split("\n").filter(Boolean);
      const spans = lines.flatMap((line) => spansOf(JSON.parse(line)));
      const seen = chains(spans);
      const create = "pulumi-plan > pulumirpc.ResourceProvider/Create";
      const within = "pulumirpc.ResourceProvider/Create >";
      for (const chain of [
        `${create} > copyTask`,
        `${create} > updateActionProperties`,
        `${create} > startTask`,
        `${create} > wait for run`,
        `${within} wait for run > getSubtasks`,
        `${create} > wait before the next attempt`,
        `${create} > export rows`,
        `${within} export rows > getBatchData`,
      ]) {
        assert.ok(seen.includes(chain), `${chain} in ${[...new Set(seen)].join("\n")}`);
      }
      // The engine names no parent to the process of the program.
      assert.ok(seen.includes("getData"));
      const [refused] = spans.filter(({ name, status }) => name === "getSubtasks" && status?.code !== undefined);
      const [copyId = ""] = world.copies();
      assert.deepEqual(factsOf(refused), {
        "http.request.method": "GET",
        "url.template": "/cloudextraction/task/subtasks",
        "server.address": "127.0.0.1",
        "webextract.task_id": copyId,
        "http.response.status_code": 503,
        "error.type": "outcomeUnknown",
      });
      const { accessToken, apiKey } = world.emulator.credentials;
      for (const word of [secret, accessToken, apiKey]) assert.ok(!text.includes(word), word);
    });
  });
}

interface Request {
  resourceSpans?: {
    resource?: { attributes?: Span["attributes"] };
    scopeSpans?: { spans: Span[] }[];
  }[];
}

function spansOf({ resourceSpans = [] }: Request): Collected[] {
  return resourceSpans.flatMap(({ resource, scopeSpans = [] }) => {
    const name = resource?.attributes?.find(({ key }) => key === "service.name")?.value.stringValue;
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...span, service: name })));
  });
}

function factsOf(span: Collected | undefined): Record<string, unknown> {
  const facts = (span?.attributes ?? []).map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]);
  return Object.fromEntries(facts);
}
