// biome-ignore-all lint/suspicious/noTemplateCurlyInString: YAML programs name outputs so
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { ensureEngine } from "../../../scripts/engine/ensureEngine";
import { ensureHosts } from "../../../scripts/engine/hosts";
import { repositoryRoot } from "../harness";
import { World } from "../world";
import { pluginFolder } from "./nativeWorld";

const program = `
const secret = pulumi.secret("of-nobody-4711");
const books = new ExtractionTask("books", {
  from: { sourceTaskId: "template-1", taskGroupId: "group-1" },
  actions: { open: { actionType: "NavigateAction", properties: { Url: "https://books.test/", Wait: secret } } },
  startUrls: { urls: ["https://books.test/a", "https://books.test/b"] },
});
const copy = new TaskCopy("copy", { sourceTaskId: "template-1", taskGroupId: "group-2" }, { protect: true });
new TaskParameters("parameters", {
  taskId: copy.id, actions: { open: { actionType: "NavigateAction", properties: { Wait: 3 } } },
}, { parent: copy });
new TaskLoopItems("loop", {
  taskId: copy.id, actionId: "each", loopType: "UrlList", items: ["https://x.test/1", "https://x.test/2"],
});
new TaskActionConfig("settings", {
  taskId: copy.id, actions: { open: { actionType: "NavigateAction", properties: { Url: "https://copy.test/" } } },
});
new TaskStartUrls("urls", { taskId: copy.id, urls: ["https://copy.test/a"] }, { aliases: [{ name: "earlier-urls" }] });
const run = new CloudRun("run", { taskId: books.id, rerunOn: [books], waitFor: "finished" });
new DataExport("rows", { taskId: books.id, scope: "batch", lotNo: run.id, path: "rows/{lotNo}.ndjson" });
`;

/** The same in YAML. \`rerunOn\` names the task as the classes do. */
const yaml = {
  name: "test",
  runtime: "yaml",
  plugins: { providers: [{ name: "webextract", path: "" }] },
  resources: {
    books: {
      type: "webextract:ExtractionTask",
      properties: {
        from: { sourceTaskId: "template-1", taskGroupId: "group-1" },
        actions: {
          open: {
            actionType: "NavigateAction",
            properties: { Url: "https://books.test/", Wait: { "fn::secret": "of-nobody-4711" } },
          },
        },
        startUrls: { urls: ["https://books.test/a", "https://books.test/b"] },
      },
    },
    copy: {
      type: "webextract:TaskCopy",
      properties: { sourceTaskId: "template-1", taskGroupId: "group-2" },
      options: { protect: true },
    },
    parameters: {
      type: "webextract:TaskParameters",
      properties: {
        taskId: "${copy.id}",
        actions: { open: { actionType: "NavigateAction", properties: { Wait: 3 } } },
      },
      options: { parent: "${copy}" },
    },
    loop: {
      type: "webextract:TaskLoopItems",
      properties: {
        taskId: "${copy.id}",
        actionId: "each",
        loopType: "UrlList",
        items: ["https://x.test/1", "https://x.test/2"],
      },
    },
    settings: {
      type: "webextract:TaskActionConfig",
      properties: {
        taskId: "${copy.id}",
        actions: { open: { actionType: "NavigateAction", properties: { Url: "https://copy.test/" } } },
      },
    },
    urls: {
      type: "webextract:TaskStartUrls",
      properties: { taskId: "${copy.id}", urls: ["https://copy.test/a"] },
      options: { aliases: [{ name: "earlier-urls" }] },
    },
    run: {
      type: "webextract:CloudRun",
      properties: { taskId: "${books.id}", rerunOn: ["${books}"], waitFor: "finished" },
      options: { dependsOn: ["${books}"] },
    },
    rows: {
      type: "webextract:DataExport",
      properties: { taskId: "${books.id}", scope: "batch", lotNo: "${run.id}", path: "rows/{lotNo}.ndjson" },
    },
  },
};

describe("a stack that moves to another language", function () {
  this.timeout(240_000);
  let world: World;
  before(async () => {
    await ensureHosts(await ensureEngine(), ["yaml"]);
    world = await World.create({ program });
  });
  after(() => world.remove());

  const cli = `${process.execPath} ${join(repositoryRoot, "dist/cli/main.js")}`;
  const migrate = (to: "native" | "dynamic") => world.project.shell(`${cli} migrate --stack dev --to ${to} --yes`);
  const yamlProgram = (): string => {
    yaml.plugins.providers = [{ name: "webextract", path: pluginFolder() }];
    return stringify(yaml);
  };
  let javascript: string;

  it("shows no change in YAML, and sends nothing", async () => {
    const { project } = world;
    await project.up();
    javascript = await project.shell("cat Pulumi.yaml").then(({ stdout }) => stdout);
    const before = await project.resource("books");
    world.operations();
    const { output } = await migrate("native");
    assert.match(
      output,
      /Converted 1 CloudRun, 1 DataExport, 1 ExtractionTask, 1 TaskActionConfig, 1 TaskCopy, 1 TaskLoopItems, 1 TaskParameters, 1 TaskStartUrls/,
    );
    project.write("Pulumi.yaml", yamlProgram());
    const up = await project.up();
    assert.match(up.output, /Resources:\n +9 unchanged/, up.output);
    assert.deepEqual(world.operations(), []);
    assert.equal(project.resource("books").id, before.id);
  });

  it("is told of the command where the classes find resources of the plugin, in a preview and without one", async () => {
    const { project } = world;
    const ids = () =>
      project.state().resources.flatMap(({ urn, id, type }) => (type.startsWith("webextract:") ? [[urn, id]] : []));
    const before = ids();
    project.write("Pulumi.yaml", javascript);
    for (const command of ["preview", "up"] as const) {
      const { output } = await project[command]({ expect: "failure" });
      assert.match(
        output,
        /resource '\w+' has a problem: the state .* Nothing was sent\. To move it, run "webextract migrate --to dynamic"/,
      );
    }
    assert.deepEqual([world.operations(), ids()], [[], before]);
    project.write("Pulumi.yaml", yamlProgram());
  });

  it("goes back", async () => {
    const { project } = world;
    await migrate("dynamic");
    project.write("Pulumi.yaml", javascript);
    const preview = await project.preview({ args: ["--diff"] });
    assert.match(preview.output, /Resources:\n +9 unchanged/, preview.output);
    assert.deepEqual(world.operations(), []);
  });

  it("stays as it is while its state is locked", async () => {
    const { project } = world;
    const before = await project.shell("pulumi stack export --stack dev");
    const locks = join(project.root, "state/.pulumi/locks/organization/test/dev");
    mkdirSync(locks, { recursive: true });
    const lock = { pid: 1, username: "other", hostname: "elsewhere", timestamp: new Date().toISOString() };
    writeFileSync(join(locks, "5a5f6a38-1f6e-4a0c-8f0b-3c7e2b1f9d10.json"), JSON.stringify(lock));
    try {
      await assert.rejects(migrate("native"), /locked by 1 lock.*The state before is in \.webextract-state-dev-/s);
    } finally {
      rmSync(locks, { recursive: true });
    }
    const after = await project.shell("pulumi stack export --stack dev");
    assert.equal(after.stdout, before.stdout);
  });
});
