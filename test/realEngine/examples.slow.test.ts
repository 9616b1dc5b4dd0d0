import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import { parse } from "yaml";
import { ObjectStore, owner } from "../../scripts/objectStore/objectStore";
import type { ProjectOptions } from "./harness";
import { Project, repositoryRoot } from "./harness";

const examples = join(repositoryRoot, "examples");
const seed = parse(readFileSync(join(examples, "emulator.yaml"), "utf8"));

describe("the examples", function () {
  this.timeout(300_000);
  const emulators: Emulator[] = [];
  let project: Project;
  afterEach(async () => {
    await project.remove();
    await Promise.all(emulators.splice(0).map((emulator) => emulator.close()));
  });

  async function newEmulator(): Promise<Emulator> {
    const emulator = await startEmulator({ seed });
    emulators.push(emulator);
    return emulator;
  }

  /** A copy of the example, without the package.json that the pages say is not needed. */
  async function open(name: string, options: ProjectOptions): Promise<void> {
    const folder = join(examples, name);
    const files = readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), "utf8")] as const);
    project = await Project.create({
      ...options,
      files: { ...Object.fromEntries(files), "package.json": '{ "private": true }' },
      link: ["typescript", "tsx", "@types"],
    });
  }

  function connection(emulator: Emulator): Record<string, string> {
    const { accessToken, apiKey } = emulator.credentials;
    return { WEBEXTRACT_BASE_URL: emulator.url, WEBEXTRACT_ACCESS_TOKEN: accessToken, WEBEXTRACT_API_KEY: apiKey };
  }

  const edit = (file: string, from: string, to: string): void => {
    const text = readFileSync(join(project.folder, file), "utf8");
    assert.ok(text.includes(from), `${file} has no ${from}`);
    project.write(file, text.replace(from, to));
  };
  const files = (): string[] => readdirSync(join(project.folder, "rows")).sort();
  const linesOf = (file: unknown): number =>
    readFileSync(join(project.folder, String(file)), "utf8")
      .trimEnd()
      .split("\n").length;

  it("run each night once, and keep rows apart that do not pass", async () => {
    const emulator = await newEmulator();
    await open("nightly", { name: "nightly", env: connection(emulator) });
    const night = (label: string, options = {}) => project.up({ env: { WEBEXTRACT_RUN_LABEL: label }, ...options });
    await night("2026-11-21");
    await night("2026-11-21");
    await night("2026-11-22");
    assert.equal(emulator.inspect.runs().length, 2);
    assert.equal(files().length, 2);
    const { file, label } = await project.outputs();
    assert.deepEqual([linesOf(file), label], [25, "2026-11-22"]);

    edit("index.ts", "minRows: 10", "minRows: 1000");
    const { output } = await night("2026-11-23", { expect: "failure" });
    assert.match(output, /minRows/);
    assert.equal(files().filter((name) => name.includes(".rejected.")).length, 1);
    edit("index.ts", "minRows: 1000", "minRows: 10");
    await night("2026-11-23");
    assert.equal(emulator.inspect.runs().length, 3);
    assert.equal(files().filter((name) => !name.includes(".rejected.")).length, 3);

    const store = await ObjectStore.start();
    try {
      store.addBucket("shop-rows");
      await project.run(["config", "set", "rows", "s3://shop-rows/nightly"]);
      await project.run(["config", "set", "webextract:s3ForcePathStyle", "true"]);
      const aws = {
        AWS_ACCESS_KEY_ID: owner.accessKeyId,
        AWS_SECRET_ACCESS_KEY: owner.secretAccessKey,
        AWS_REGION: "us-east-1",
        AWS_ENDPOINT_URL_S3: store.endpoint,
      };
      await project.up({ env: { WEBEXTRACT_RUN_LABEL: "2026-11-24", ...aws } });
      const { file: object } = await project.outputs();
      assert.match(String(object), /^s3:\/\/shop-rows\/nightly\/shop-\d+\.ndjson$/);
      const content = readFileSync(join(store.buckets, String(object).slice("s3://".length)), "utf8");
      assert.equal(content.trimEnd().split("\n").length, 25);
      assert.equal(files().length, 4);
    } finally {
      await store.stop();
    }
  });

  it("export rows once and mark them", async () => {
    const emulator = await newEmulator();
    await open("exportAndMark", { name: "export-and-mark", env: connection(emulator) });
    await project.up();
    const first = await project.outputs();
    assert.deepEqual([first.file, first.rowCount, first.marked], ["rows/new-1.ndjson", 25, true]);
    await project.run(["config", "set", "round", "2"]);
    await project.up();
    const second = await project.outputs();
    assert.deepEqual([second.file, second.rowCount, second.marked], ["rows/new-2.ndjson", 25, true]);
  });

  it("declare a task in two accounts", async () => {
    const [europe, america] = [await newEmulator(), await newEmulator()];
    const profile = ({ url, credentials }: Emulator) => ({ baseUrl: url, accessToken: credentials.accessToken });
    const profiles = JSON.stringify({ europe: profile(europe), america: profile(america) });
    await open("accounts", { name: "accounts", env: { WEBEXTRACT_PROFILES: profiles } });
    await project.up();
    const { files: exported } = (await project.outputs()) as { files: Record<string, string> };
    assert.deepEqual(Object.keys(exported).sort(), ["america", "europe"]);
    assert.deepEqual(Object.values(exported).map(linesOf), [25, 25]);

    edit("index.ts", "/new/", "/sale/");
    await project.up({ args: ["--target", "**shop-europe", "--target-dependents"] });
    assert.deepEqual(
      [europe, america].map(({ inspect }) => inspect.runs().length),
      [2, 1],
    );
  });

  it("test a program with mocks, and fail after the edit of the page", async () => {
    await open("mocks", { name: "mocks" });
    const mocha = join(repositoryRoot, "node_modules/mocha/bin/mocha.js");
    const test = () => project.node([mocha, "--no-config", "--require", "tsx/cjs", "shop.test.ts"]);
    const before = await test();
    assert.equal(before.code, 0, before.output);
    edit("shop.ts", '?? "new"', '?? "sale"');
    const { code, output } = await test();
    assert.equal(code, 1, output);
    assert.match(output, /1 failing.*opens the list of new products/s);
  });

  it("preview and apply from a program", async () => {
    const emulator = await newEmulator();
    await open("automation", { name: "automation", env: connection(emulator) });
    const run = async (...args: string[]): Promise<string> => {
      const { code, output } = await project.node(["--import", "tsx", "index.ts", ...args]);
      assert.equal(code, 0, output);
      return output;
    };
    await run();
    assert.equal(emulator.inspect.runs().length, 0);
    assert.match(await run("--apply"), /25 rows in rows\/shop-\d+\.ndjson/);
    const preview = await run("--url", "https://shop.example.com/sale/");
    assert.match(preview, /shop\.example\.com\/sale/);
    assert.equal(emulator.inspect.runs().length, 1);
    await run("--url", "https://shop.example.com/sale/", "--apply");
    assert.equal(emulator.inspect.runs().length, 2);
  });
});
