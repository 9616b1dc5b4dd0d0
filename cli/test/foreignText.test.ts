import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { allTests } from "../../test/eachTest";
import { slowIt } from "../../test/environment";
import { hostileStrings } from "../../test/hostile";
import { assertShown } from "../../test/shownText";
import { CliWorld, fakePulumi } from "./webextract";

/** All of them in one text, since each costs a process. No file name and no header can have a zero byte or half of a character. */
const all = hostileStrings
  .map(({ text }) => text)
  .join("\n")
  .replace(/\p{Cs}/gu, "");

describe("text of the service, of files and of commands", () => {
  const world = allTests(() => CliWorld.create());

  const error = (message: string): object => ({ error: { code: message.slice(0, 200), message }, requestId: message });

  for (const line of [
    "rows shop-1",
    "export shop-1 --out rows.ndjson",
    "run shop-1 --yes",
    "stop shop-1 --yes",
    "status shop-1",
    "actions shop-1",
    "adopt shop-1",
    "doctor",
    "probe shop-1",
    "token refresh --yes",
  ]) {
    for (const json of ["", " --json"]) {
      const test = json === "" ? it : slowIt;
      test(`reaches the terminal as plain text: ${line}${json}`, async () => {
        for (const status of [400, 500]) {
          world.emulator.fault({ operation: "*", kind: "status", status, body: error(all), times: 1_000 });
          const token = { WEBEXTRACT_REFRESH_TOKEN: world.emulator.credentials.refreshToken };
          const ended = await world.run(`${line}${json}`, line.startsWith("token") ? token : {});
          world.emulator.clearFaults();
          assertShown(ended.stderr, `stderr of ${line}: ${ended.stderr}`);
          assertShown(ended.stdout, `stdout of ${line}: ${ended.stdout}`);
          assert.ok(ended.stderr !== "" || ended.stdout !== "");
        }
      });
    }
  }

  it("reaches the terminal as plain text: names and contents of manifests", async () => {
    const name = all.replace(/[\0/]/g, "").slice(0, 60);
    writeFileSync(world.path(`${name}.yaml`), `from: { adoptTaskId: x }\n${JSON.stringify(all)}: 1\n`);
    for (const [index, { text }] of hostileStrings.filter((each) => !/[\0/]|^\.*$/.test(each.text)).entries()) {
      const file = `${index}${text.replace(/\p{Cs}/gu, "").slice(0, 50)}.yaml`;
      writeFileSync(world.path(file), `from: { adoptTaskId: ${JSON.stringify(text)} }\n${JSON.stringify(text)}: 1\n`);
    }
    for (const line of ["validate .", "validate . --json", "list .", "list . --json", "rename one two ."]) {
      const ended = await world.run(line);
      assert.equal(ended.code, 1);
      assertShown(ended.stderr, ended.stderr);
      assertShown(ended.stdout, ended.stdout);
      assert.doesNotMatch(ended.stdout, /^(?:error: )?forged/m);
    }
  });

  it("reaches the terminal as plain text: names, ids and runs in the state of a stack", async () => {
    const resources = hostileStrings.flatMap(({ text }) =>
      ["TaskCopy", "CloudRun"].map((kind) => {
        const type = `pulumi-nodejs:dynamic/webextract:${kind}`;
        const outputs = { taskId: text, lotNo: text, status: text, origin: world.emulator.url };
        return { urn: `urn:pulumi:dev::test::${type}::${text}`, type, custom: true, id: text, outputs };
      }),
    );
    writeFileSync(world.path("state.json"), JSON.stringify({ version: 3, deployment: { resources } }));
    const code = `process.stdout.write(process.argv.includes("export") ? require("fs").readFileSync("state.json") : "{}");`;
    const PATH = fakePulumi(world, code);
    for (const words of [["list"], ["list", "--json"], ["status", all], ["compare", `${all}:latest`, `${all}.csv`]]) {
      const ended = await world.run(
        [...words, "--stack", "dev"].map((word) => word.replaceAll("\0", "")),
        { PATH },
      );
      assertShown(ended.stderr, ended.stderr);
      assertShown(ended.stdout, ended.stdout);
      assert.ok(ended.stderr !== "" || ended.stdout !== "");
    }
  });

  it("reaches the terminal as plain text: arguments of rename and completion", async () => {
    const name = all.replaceAll("\0", "");
    for (const words of [
      ["rename", name, name, "."],
      ["completion", name],
    ]) {
      const ended = await world.run(words);
      assert.notEqual(ended.code, 0);
      assertShown(ended.stderr, ended.stderr);
      assertShown(ended.stdout, ended.stdout);
    }
  });

  it("reaches the terminal as plain text: standard error of a credential command", async () => {
    writeFileSync(world.path("says.cjs"), `process.stderr.write(${JSON.stringify(`${all}\n`)}); process.exit(1);`);
    const command = {
      WEBEXTRACT_ACCESS_TOKEN: undefined,
      WEBEXTRACT_CREDENTIAL_COMMAND: `${process.execPath} says.cjs`,
    };
    const ended = await world.runProgram("rows shop-1", command);
    assert.notEqual(ended.code, 0);
    assert.match(ended.stderr, /forged/);
    assertShown(ended.stderr, ended.stderr);
  });
});
