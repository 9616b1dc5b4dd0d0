import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { allTests } from "../../test/eachTest";
import { allCommands, commandsFor } from "./internals/cli";
import { CliWorld, fakePulumi, shop } from "./webextract";

describe("the command line", () => {
  const world = allTests(() => CliWorld.create());

  it("explains every command, with an example", async () => {
    for (const { name, examples } of allCommands()) {
      const { code, stdout, stderr } = await world.run(`${name} --help`);
      assert.deepEqual([code, stderr], [0, ""], name);
      assert.match(stdout, new RegExp(`^Usage: webextract ${name} `));
      for (const { line } of examples) {
        assert.ok(stdout.includes(`$ webextract ${line}\n`), line);
      }
      assert.ok(examples.length > 0);
    }
    const { stdout } = await world.run("--help");
    for (const { name } of allCommands()) {
      assert.match(stdout, new RegExp(`^ {2}${name.split(" ")[0]} `, "m"));
    }
  });

  it("loads the one command that it is about", () => {
    const names = (line: string): string[] => commandsFor(line.split(" ")).map(({ name }) => name);
    for (const { name } of allCommands()) {
      assert.deepEqual(
        names(`${name} --help`).filter((each) => each === name),
        [name],
      );
      assert.ok(names(name).every((each) => each.split(" ")[0] === name.split(" ")[0]));
    }
    assert.deepEqual(names("--help").length, allCommands().length);
  });

  it("has examples that it accepts", async () => {
    const lines = allCommands().flatMap(({ examples }) => examples.map(({ line }) => line));
    for (const line of lines) {
      // A usage error would be reported before the missing service.
      const [words = ""] = line.split(/ [|<] /);
      const { stderr } = await world.run(words.replace(/ --stack \S+/, ""), { WEBEXTRACT_BASE_URL: undefined });
      assert.doesNotMatch(stderr, /unknown|missing required|invalid/, line);
    }
  });

  it("refuses a wrong command line with exit code 2, as JSON too", async () => {
    for (const line of [
      "status",
      "status a b",
      "fly",
      "run shop-1 --poll soon",
      "status shop-1 --colour",
      "rows x -n 0",
      "rows x --columns a,a",
      "rows x --columns a --columns b,a",
      "export x --format parquet --column a=int64 --column a=double",
      "run x --yes --settle 5",
      "run x --yes --no-wait --timeout 5",
      "run x --no-wait --lot-no 1",
    ]) {
      const { code, stdout, stderr } = await world.run(line);
      assert.deepEqual([code, stdout], [2, ""], line);
      assert.match(stderr, /^error: /, line);
      const ended = await world.run(`${line} --json`);
      assert.deepEqual([ended.code, ended.json().error.exit], [2, "usage"], line);
    }
    assert.deepEqual(world.operations(), []);
  });

  it("refuses empty arguments and options, as of a variable that is not set", async () => {
    for (const { name, arguments: given = [] } of allCommands()) {
      for (const [index, argument] of given.entries()) {
        const before = given.slice(0, index).map((each) => each.argChoices?.[0] ?? "shop-1");
        const after = given.slice(index + 1).flatMap((each) => (each.required ? ["shop-1"] : []));
        for (const empty of ["", " "]) {
          const line = [...name.split(" "), ...before, empty, ...after];
          const { code, stdout, stderr } = await world.run(line);
          assert.deepEqual([code, stdout], [2, ""], line.join(" "));
          assert.match(stderr, argument.argChoices === undefined ? /must not be empty/ : /Allowed choices/, name);
        }
      }
    }
    const ended = await world.run(["rows", shop.taskId, "--lot-no", "", "--json"]);
    assert.deepEqual([ended.code, ended.json().error.exit], [2, "usage"]);
    assert.deepEqual(world.operations(), []);
  });

  it("names the missing service and every wrong setting", async () => {
    const missing = await world.run("status shop-1", { WEBEXTRACT_BASE_URL: undefined });
    assert.equal(missing.code, 2);
    assert.equal(
      missing.stderr,
      "error: No service is configured, and no Pulumi stack is selected in this folder. Set WEBEXTRACT_BASE_URL, or use --base-url URL or --stack NAME. No request was sent.\n",
    );
    const wrong = await world.run("status shop-1 --base-url ftp://x", { WEBEXTRACT_LOG: "loud" });
    assert.match(wrong.stderr, /WEBEXTRACT_LOG must be .* --base-url must begin with https:/);
  });

  it("refuses a folder that was removed, in each command", async () => {
    const shell = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"';
    for (const line of ["status shop-1", "validate tasks", "doctor --json", "list"]) {
      const running = world.start(line.split(" "), {}, shell);
      running.process.stdin.end();
      const { code, stdout, stderr } = await running.ended;
      const said =
        "The current folder is gone or cannot be read (ENOENT). Change to another folder. No request was sent.";
      assert.deepEqual([code, stderr], [2, `error: ${said}\n`], line);
      assert.equal(stdout === "" ? said : JSON.parse(stdout).error.message, said);
    }
    assert.deepEqual(world.operations(), []);
  });

  it("tells the kind of a failure by its exit code, with operation, task and request", async () => {
    const unknown = await world.run("status nope --json");
    const { operation, taskId, requestId, exit } = unknown.json().error;
    assert.deepEqual([unknown.code, operation, taskId, exit], [4, "getSubtasks", "nope", "notFound"]);
    assert.ok(requestId);
    assert.doesNotMatch(unknown.stderr, /^ +at /m);
    const refused = await world.run("status shop-1", { WEBEXTRACT_ACCESS_TOKEN: "wrong" });
    assert.equal(refused.code, 3);
    assert.match(refused.stderr, /WEBEXTRACT_ACCESS_TOKEN was refused/);
    const away = await world.run("status shop-1 --base-url http://127.0.0.1:1");
    assert.equal(away.code, 5, away.stderr);
  });

  it("takes an account by its profile, and refuses a profile that is not configured", async () => {
    const profile = JSON.stringify({ other: { accessToken: world.emulator.credentials.accessToken } });
    const found = await world.run("status shop-1 --profile other", {
      WEBEXTRACT_PROFILES: profile,
      WEBEXTRACT_ACCESS_TOKEN: "wrong",
    });
    assert.equal(found.code, 0, found.stderr);
    assert.equal((await world.run("status shop-1 --profile nobody")).code, 2);
  });

  it("takes the account that WEBEXTRACT_PROFILE names, in place of the default one", async () => {
    const { accessToken } = world.emulator.credentials;
    const environment = {
      WEBEXTRACT_ACCESS_TOKEN: "of-another-account",
      WEBEXTRACT_PROFILES: JSON.stringify({ other: { accessToken } }),
    };
    assert.equal((await world.run("status shop-1", environment)).code, 3);
    const named = { ...environment, WEBEXTRACT_PROFILE: "other" };
    assert.equal((await world.run("status shop-1", named)).code, 0);
    // Without profiles, a name separates stored tokens.
    assert.equal((await world.run("status shop-1", { WEBEXTRACT_PROFILE: "laptop" })).code, 0);
  });

  it("refuses a name in WEBEXTRACT_PROFILE that is none of the profiles", async () => {
    const { accessToken } = world.emulator.credentials;
    const profiles = JSON.stringify({ kids: { accessToken } });
    const environment = { WEBEXTRACT_PROFILES: profiles, WEBEXTRACT_PROFILE: "kid" };
    world.operations();
    const { code, stderr } = await world.run("run shop-1 --yes --no-wait", environment);
    assert.equal(code, 2);
    assert.match(
      stderr,
      /no profile "kid" .* Known: kids\. Correct WEBEXTRACT_PROFILE, or add it to .* No request was/,
    );
    assert.deepEqual(world.operations(), []);
    assert.equal((await world.run("status shop-1 --profile kids", environment)).code, 0);
  });

  it("says once what is wrong with the address of a profile", async () => {
    const profiles = JSON.stringify({ other: { baseUrl: "nowhere" } });
    const { stderr } = await world.run("status shop-1 --profile other", { WEBEXTRACT_PROFILES: profiles });
    const problem = "WEBEXTRACT_PROFILES.other.baseUrl must be a URL such as https://host/path.";
    assert.equal(stderr, `error: ${problem} No request was sent.\n`);
  });

  it("takes the configuration of a Pulumi stack, and never shows its secrets", async () => {
    const config = {
      "webextract:baseUrl": { value: world.emulator.url, secret: false },
      "webextract:accessToken": { value: world.emulator.credentials.accessToken, secret: true },
    };
    const path = fakePulumi(
      world,
      `console.log(process.argv[2] === "config" ? ${JSON.stringify(JSON.stringify(config))} : "v3.248.0")`,
    );
    const env = { PATH: path, WEBEXTRACT_BASE_URL: undefined, WEBEXTRACT_ACCESS_TOKEN: undefined };
    const ended = await world.run(`status ${shop.taskId} --stack dev --json`, env);
    assert.equal(ended.code, 0, ended.stderr);
    const doctor = await world.run("doctor --stack dev --json", env);
    for (const { stdout, stderr } of [ended, doctor]) {
      assert.ok(!`${stdout}${stderr}`.includes(world.emulator.credentials.accessToken));
    }
  });

  it("refuses unknown keys of a stack, as a program does", async () => {
    const config = {
      "webextract:baseUrl": { value: world.emulator.url },
      "webextract:baseUrll": { value: "https://shop.test" },
      // Of the engine, for the native plugin.
      "webextract:version": { value: "0.1.0" },
      "aws:region": { value: "eu-central-1" },
    };
    const path = fakePulumi(world, `console.log(${JSON.stringify(JSON.stringify(config))})`);
    world.operations();
    for (const [line, code] of [
      ["status shop-1 --stack dev", 2],
      ["doctor --stack dev", 1],
    ] as const) {
      const ended = await world.run(line, { PATH: path, WEBEXTRACT_BASE_URL: undefined });
      assert.equal(ended.code, code, ended.stderr);
      assert.match(`${ended.stdout}${ended.stderr}`, /webextract:baseUrll is not known\. Known: /);
      assert.doesNotMatch(`${ended.stdout}${ended.stderr}`, /(?:aws:region|webextract:version) is not/);
    }
    assert.deepEqual(world.operations(), []);
  });

  it("says why the configuration of a stack cannot be read", async () => {
    const failing = await world.run("status shop-1 --stack dev", { PATH: fakePulumi(world, "process.exit(3)") });
    assert.equal(failing.code, 2);
    assert.match(
      failing.stderr,
      /The configuration of stack "dev" cannot be read: pulumi config ended with 3: it gave no reason\. /,
    );
    const none = await world.run("status shop-1 --stack dev", { PATH: world.path("empty") });
    assert.match(none.stderr, /the program pulumi is not on the PATH/);
  });

  it("completes commands, options and their values in Bash", async () => {
    const { stdout: script } = await world.run("completion bash");
    const completed = (...words: string[]): string[] => {
      const line = `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _webextract; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return execFileSync("bash", ["-c", line, "bash", "webextract", ...words], { encoding: "utf8" })
        .trim()
        .split("\n");
    };
    assert.deepEqual(completed("st"), ["status", "stop"]);
    assert.deepEqual(completed("token", ""), ["status", "refresh", "import", "move"]);
    assert.deepEqual(completed("export", "shop-1", "--format", ""), ["ndjson", "json", "csv", "parquet", "xlsx"]);
    assert.deepEqual(completed("export", "shop-1", "-f", "p"), ["parquet"]);
    assert.deepEqual(completed("token", "status", "--p"), ["--profile"]);
    const first = new Set(allCommands().map(({ name }) => name.split(" ")[0]));
    assert.deepEqual(new Set(completed("")), first);
  });

  it("names every command and option in the completion of each shell", async () => {
    for (const shell of ["bash", "zsh", "fish"]) {
      const { script } = (await world.run(`completion ${shell} --json`)).json();
      for (const { name, options = [] } of allCommands()) {
        assert.ok(
          name.split(" ").every((word) => script.includes(word)),
          `${shell}: ${name}`,
        );
        for (const { long } of options) {
          assert.ok(script.includes(shell === "fish" ? `-l ${long?.slice(2)} ` : long), `${shell}: ${name} ${long}`);
        }
      }
    }
  });
});
