import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import type { Emulator } from "webextract-emulator";
import { startEmulator } from "webextract-emulator";
import { slowIt } from "../environment";
import { installPackages, packTarball, repositoryRoot } from "../realEngine/harness";

const run = promisify(execFile);

function emptyFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "webextract-install-")));
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}

/** Names of the installed packages, one for each folder. */
function packagesIn(folder: string): string[] {
  return filesIn(folder).flatMap((file) => {
    const path = relative(folder, file).replaceAll("\\", "/");
    const name = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\/package\.json$/.exec(path)?.[1];
    return name === undefined ? [] : [name];
  });
}

/** Paths in a tarball, from the package's folder. */
async function filesOf(tarball: string): Promise<string[]> {
  const { stdout } = await run("tar", ["-tzf", tarball]);
  return stdout
    .trim()
    .split("\n")
    .map((path) => path.replace(/^package\//, ""));
}

describe("a production install of pulumi-webextract without Pulumi", () => {
  let folder: string;
  let emulator: Emulator;
  before(async () => {
    folder = emptyFolder();
    await installPackages(folder, ["--omit=dev", await packTarball()]);
    emulator = await startEmulator();
  });
  after(async () => {
    await emulator.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("installs at most 40 packages, 9 MB and the 3.2 MB of the plugin, nothing of the emulator and nothing of Pulumi", () => {
    const packages = packagesIn(folder);
    assert.ok(packages.length <= 40, `${packages.length} packages: ${packages.join(", ")}`);
    assert.deepEqual(
      packages.filter((name) =>
        /^(@?fastify\b|cheerio$|ajv-formats$|commander$|webextract-emulator$|@pulumi\/)/.test(name),
      ),
      [],
    );
    const isOfPlugin = (file: string): boolean => file.includes(join("pulumi-webextract", "dist", "plugin"));
    const files = filesIn(join(folder, "node_modules"));
    const sizeOf = (some: string[]): number => some.reduce((sum, file) => sum + statSync(file).size, 0);
    const bytes = {
      plugin: sizeOf(files.filter(isOfPlugin)),
      others: sizeOf(files.filter((file) => !isOfPlugin(file))),
    };
    // The plugin contains the other packages once more.
    assert.ok(bytes.others <= 9_000_000 && bytes.plugin <= 3_200_000, JSON.stringify(bytes));
  });

  it("has a command that works without the libraries in its bundle", async () => {
    const env = {
      ...process.env,
      WEBEXTRACT_BASE_URL: emulator.url,
      WEBEXTRACT_ACCESS_TOKEN: emulator.credentials.accessToken,
    };
    const [task] = emulator.inspect.tasks();
    const command = join(folder, "node_modules", ".bin", "webextract");
    const { stdout } = await run(command, ["status", String(task?.taskId)], { cwd: folder, env });
    assert.match(stdout, /lists no subtasks/);
  });

  it("says which package an export to S3 needs, before it reads a row", async () => {
    const command = join(folder, "node_modules", ".bin", "webextract");
    const env = {
      ...process.env,
      WEBEXTRACT_BASE_URL: emulator.url,
      WEBEXTRACT_ACCESS_TOKEN: emulator.credentials.accessToken,
    };
    emulator.clearRequests();
    const args = ["export", "task-1", "--out", "s3://rows-bucket/rows.ndjson"];
    const { stderr, code } = await run(command, args, { cwd: folder, env }).catch((error) => error);
    assert.equal(code, 2, stderr);
    assert.match(
      stderr,
      /--out "s3:\/\/rows-bucket\/rows.ndjson" needs the package @aws-sdk\/client-s3: run "npm install @aws-sdk\/client-s3" in the program's folder/,
    );
    assert.deepEqual(emulator.requests, []);
  });

  it("has a client that works", async () => {
    const [task] = emulator.inspect.tasks();
    const program = `
      const { ServiceClient } = require("pulumi-webextract/service");
      const client = new ServiceClient(${JSON.stringify({ baseUrl: emulator.url, ...emulator.credentials })});
      client.copyTask(${JSON.stringify({ taskId: task?.taskId, taskGroupId: task?.taskGroupId })})
        .then(({ data }) => console.log(data.taskId));`;
    const { stdout } = await run(process.execPath, ["--eval", program], { cwd: folder });
    assert.ok(emulator.inspect.tasks().some(({ taskId }) => taskId === stdout.trim()));
  });
});

describe("an install of webextract-emulator", () => {
  let folder: string;
  before(async () => {
    folder = emptyFolder();
    await installPackages(folder, [await packTarball("emulator")]);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("holds the built files, the command, the contract and the documentation", async () => {
    const files = await filesOf(await packTarball("emulator"));
    const page = readdirSync(join(repositoryRoot, "emulator/page"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(join(repositoryRoot, "emulator"), join(parentPath, name)));
    assert.ok(page.includes(join("page", "index.html")));
    assert.ok(files.includes("bookshop/pages/shelves/novels/page-3.html"));
    assert.deepEqual(
      files.filter((path) => /^bookshop\/(?!pages\/)/.test(path)),
      [],
    );
    assert.deepEqual(files.filter((path) => path.startsWith("page/")).sort(), page.sort());
    assert.deepEqual(files.filter((path) => !/^(?:bookshop|dist|page)\//.test(path)).sort(), [
      "LICENSE",
      "README.md",
      "admin.openapi.yaml",
      "bin/webextract-emulator.js",
      "openapi.yaml",
      "package.json",
    ]);
    const withoutSource = files.filter((path) => {
      const source = /^dist\/(.+?)(\.d\.ts|\.js)$/.exec(path)?.[1];
      return path.startsWith("dist/") && !(source && existsSync(join(repositoryRoot, "emulator/src", `${source}.ts`)));
    });
    assert.deepEqual(
      withoutSource.sort(),
      ["dist/THIRD-PARTY-NOTICES.txt", "dist/admin.openapi.json", "dist/openapi.json", "dist/pageWorker.js"],
      "files of an earlier build",
    );
  });

  it("installs no package whose modules could be bundled", () => {
    assert.deepEqual(packagesIn(folder).sort(), ["node-sqlite3-wasm", "webextract-emulator"]);
  });

  slowIt("keeps its state in a file", async () => {
    const program = `
      const { startEmulator } = require("webextract-emulator");
      (async () => {
        for (const taskId of ["one", "two"]) {
          const emulator = await startEmulator({ stateFile: "state.db", seed: { taskGroups: [], tasks: [] } });
          emulator.change.addTask({ taskId, taskGroupId: "group", actions: [] });
          console.log(emulator.inspect.taskIds().join());
          await emulator.close();
        }
      })();`;
    const { stdout } = await run(process.execPath, ["--eval", program], { cwd: folder });
    assert.equal(stdout, "one\none,two\n");
  });

  slowIt("reads pages", async () => {
    const program = `
      const { createServer } = require("node:http");
      const { defaultSeed, startEmulator } = require("webextract-emulator");
      const site = createServer((request, response) => {
        response.setHeader("content-type", "text/html").end("<ul><li><b>one</b><li><b>two</b></ul>");
      });
      site.listen(0, "127.0.0.1", async () => {
        const emulator = await startEmulator();
        const properties = { RowSelector: "li", "Field.name": "b" };
        emulator.change.addTask({
          taskId: "task",
          taskGroupId: emulator.inspect.groups()[0],
          actions: [{ actionType: "ExtractDataAction", actionId: "extract", properties }],
          startUrls: ["http://127.0.0.1:" + site.address().port],
        });
        await fetch(emulator.url + "/cloudextraction/start", {
          method: "POST",
          headers: { authorization: "Bearer " + emulator.credentials.accessToken, "content-type": "application/json" },
          body: JSON.stringify({ taskId: "task" }),
        });
        await emulator.settled();
        console.log(JSON.stringify(emulator.inspect.rows("task")));
        await emulator.close();
        site.close();
      });`;
    const { stdout } = await run(process.execPath, ["--eval", program], { cwd: folder });
    assert.deepEqual(JSON.parse(stdout), [{ name: "one" }, { name: "two" }]);
  });

  it("starts from a program and gives the same names to require and to import", async () => {
    const program = `
      const required = require("webextract-emulator");
      import("webextract-emulator").then(async (imported) => {
        const emulator = await required.startEmulator();
        const page = await (await fetch(emulator.url + "/__emulator/")).text();
        const health = await (await fetch(emulator.url + "/__emulator/health")).json();
        await emulator.close();
        const missing = Object.keys(required).filter((name) => !(name in imported));
        const contract = require.resolve("webextract-emulator/openapi.yaml");
        console.log(JSON.stringify({ missing, contract, page, health }));
      });`;
    const { stdout } = await run(process.execPath, ["--eval", program], { cwd: folder });
    const { missing, contract, page, health } = JSON.parse(stdout);
    assert.match(page, /^<!doctype html>/i);
    assert.equal(health.status, "ok");
    assert.deepEqual(missing, []);
    assert.ok(existsSync(contract));
  });

  it("has a command that runs", async () => {
    const command = join(folder, "node_modules/.bin/webextract-emulator");
    assert.match((await run(command, ["--help"])).stdout, /Usage: webextract-emulator/);
    assert.match((await run(command, ["--version"])).stdout, /^\d+\.\d+\.\d+\n$/);
    const seed = join(folder, "seed.yaml");
    writeFileSync(seed, "taskGroups: [");
    await assert.rejects(run(command, ["--seed", seed]), /not valid YAML/);
  });
});
