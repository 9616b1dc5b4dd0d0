import assert from "node:assert/strict";
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { buildEngine } from "../../scripts/engine/build";
import { engineFiles, engineVersion, NoEngine, policyStarter } from "../../scripts/engine/engine";
import type { EngineWay } from "../../scripts/engine/ensureEngine";
import { ensureEngine } from "../../scripts/engine/ensureEngine";

describe("ensureEngine", () => {
  let root: string;
  let environment: NodeJS.ProcessEnv;
  let said: string[];

  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "webextract-engine-")));
    environment = { PATH: join(root, "path"), PULUMI_HOME: join(root, "home"), KEPT: "yes" };
    said = [];
  });

  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const cache = () => join(root, "home", "versions", engineVersion);
  const say = (line: string) => said.push(line);
  const find = (...ways: EngineWay[]) => ensureEngine({ environment, say, ways });

  function putEngine(folder: string, version: string, files: readonly string[] = Object.values(engineFiles)): void {
    mkdirSync(folder, { recursive: true });
    for (const file of files) {
      writeFileSync(join(folder, file), `#!/bin/sh\necho v${version}\n`);
      chmodSync(join(folder, file), 0o755);
    }
  }

  function making(source: EngineWay["source"] = "go") {
    const way = {
      source,
      versions: [] as string[],
      make: async (...[folder, , , version]: Parameters<EngineWay["make"]>) => {
        way.versions.push(version);
        putEngine(join(folder, "bin"), version);
      },
    };
    return way;
  }

  const failing = (source: EngineWay["source"], reason: string): EngineWay => ({
    source,
    make: async () => {
      throw new NoEngine(reason);
    },
  });

  it("uses a supported pulumi on PATH, without a message", async () => {
    putEngine(join(root, "path"), "3.216.0");
    const engine = await find();
    assert.equal(engine.source, "PATH");
    assert.equal(engine.version, "3.216.0");
    assert.equal(engine.pulumi, join(root, "path", engineFiles.pulumi));
    assert.deepEqual(said, []);
  });

  it("uses a pulumi on PATH that is a link, with its other programs beside the target", async () => {
    putEngine(join(root, "cellar"), "3.250.1");
    mkdirSync(join(root, "path"));
    symlinkSync(join(root, "cellar", engineFiles.pulumi), join(root, "path", engineFiles.pulumi));
    const engine = await find();
    assert.equal(engine.version, "3.250.1");
    assert.equal(engine.env.PATH, [join(root, "cellar"), join(root, "path")].join(delimiter));
  });

  it("ignores a pulumi that is too old, of another major version, or without its language host", async () => {
    putEngine(join(cache(), "bin"), engineVersion);
    for (const version of ["3.215.9", "2.300.0", "4.0.0", "nonsense"]) {
      putEngine(join(root, "path"), version);
      assert.equal((await find()).source, "cache", version);
    }
    rmSync(join(root, "path"), { recursive: true });
    putEngine(join(root, "path"), "3.248.0", [engineFiles.pulumi, engineFiles.dynamicHost]);
    assert.equal((await find()).source, "cache");
  });

  it("returns an environment with the engine's folder first on PATH and everything else unchanged", async () => {
    putEngine(join(cache(), "bin"), engineVersion);
    const { env } = await find();
    assert.equal(env.PATH, [join(cache(), "bin"), join(root, "path")].join(delimiter));
    assert.equal(env.KEPT, "yes");
    assert.equal(env.PULUMI_SKIP_UPDATE_CHECK, "true");
  });

  it("makes an engine if there is none, and finds it the next time", async () => {
    const way = making();
    const made = await find(way);
    assert.equal(made.source, "go");
    assert.equal(existsSync(made.pulumi), true);
    assert.equal((await find(way)).source, "cache");
    assert.deepEqual(way.versions, [engineVersion]);
  });

  it("keeps another version beside the version of the tests, and looks for it alone", async () => {
    putEngine(join(cache(), "bin"), engineVersion);
    putEngine(join(root, "path"), "3.250.1");
    const other = making();
    const options = { environment, say, ways: [other], version: "3.276.0" };
    assert.deepEqual([(await ensureEngine(options)).source, (await ensureEngine(options)).source], ["go", "cache"]);
    assert.deepEqual(other.versions, ["3.276.0"]);
    assert.deepEqual(readdirSync(join(root, "home", "versions")).sort(), [engineVersion, "3.276.0"].sort());
    accessSync(join(root, "home", "versions", "3.276.0", "bin", policyStarter), constants.X_OK);
    putEngine(join(root, "path"), "3.276.0");
    assert.equal((await ensureEngine(options)).source, "PATH");
  });

  it("replaces an incomplete cache, and removes the files of an interrupted call", async () => {
    putEngine(join(cache(), "bin"), engineVersion, [engineFiles.pulumi]);
    mkdirSync(join(root, "home", "versions", `.making-${engineVersion}-left`));
    assert.equal((await find(making())).source, "go");
    assert.deepEqual(readdirSync(join(root, "home", "versions")), [engineVersion]);
  });

  it("tries the next way if one fails, and says why", async () => {
    const engine = await find(failing("installer", "the installer is not there"), making());
    assert.equal(engine.source, "go");
    assert.match(said.join("\n"), /the installer is not there/);
  });

  it("says what was tried and what to do if no way works, and leaves no files", async () => {
    await assert.rejects(find(failing("installer", "no network"), failing("go", "no go on PATH")), (error: Error) => {
      assert.equal(error.name, "NoEngine");
      assert.match(error.message, /no pulumi on PATH.*no network.*no go on PATH.*Install Pulumi.*install Go/s);
      return true;
    });
    assert.deepEqual(readdirSync(join(root, "home", "versions")), []);
  });

  it("does not use an incomplete engine", async () => {
    const half: EngineWay = {
      source: "go",
      make: async (folder) => putEngine(join(folder, "bin"), "3", [engineFiles.pulumi]),
    };
    await assert.rejects(find(half), NoEngine);
    assert.equal(existsSync(cache()), false);
  });

  it("adds the starter of policy packs to an old and a new cache, also if the cache is on PATH, and to no other folder", async () => {
    const starter = join(cache(), "bin", policyStarter);
    await find(making());
    accessSync(starter, constants.X_OK);
    rmSync(starter);
    await find();
    accessSync(starter, constants.X_OK);
    rmSync(starter);
    environment.PATH = join(cache(), "bin");
    assert.equal((await find()).source, "PATH");
    accessSync(starter, constants.X_OK);

    environment.PATH = join(root, "path");
    putEngine(join(root, "path"), "3.248.0");
    await find();
    assert.equal(existsSync(join(root, "path", policyStarter)), false);
    assert.doesNotMatch(said.join("\n"), /policy/i);
  });

  it("says why policy packs will not run if the cache cannot be written, and returns the engine", async () => {
    putEngine(join(cache(), "bin"), engineVersion);
    // A folder in its place: even a user who may write everywhere cannot make a file of it.
    mkdirSync(join(cache(), "bin", `${policyStarter}.${process.pid}`));
    assert.equal((await find()).source, "cache");
    assert.match(said.join("\n"), /Policy packs will not run: /);
  });

  it("makes one engine for two calls at the same time", async () => {
    const way = making();
    let secondWaits = () => {};
    const waiting = new Promise<void>((resolve) => {
      secondWaits = resolve;
    });
    const slow: EngineWay = {
      source: "go",
      make: async (folder) => {
        await waiting;
        await way.make(folder, environment, say, engineVersion);
      },
    };
    const hear = (line: string) => {
      if (line.startsWith("Another process")) {
        secondWaits();
      }
    };
    const options = { environment, say: hear, ways: [slow] };
    const engines = await Promise.all([ensureEngine(options), ensureEngine(options)]);
    assert.deepEqual(way.versions, [engineVersion]);
    assert.deepEqual(engines.map(({ source }) => source).sort(), ["cache", "go"]);
  });

  it("refuses to build without Go", async () => {
    await assert.rejects(buildEngine(join(root, "new"), environment, say), /Go is not on PATH/);
  });
});
