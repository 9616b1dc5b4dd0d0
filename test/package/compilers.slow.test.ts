import assert from "node:assert/strict";
import type { ExecFileException } from "node:child_process";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { sdk } from "../realEngine/consumer";
import { installPackages, installTarball, repositoryRoot } from "../realEngine/harness";
import { consumerProgram } from "./consumerProgram";

/** Every entry of the package, and a mistake on line 5. */
const entries = `
import { TaskCopy } from "pulumi-webextract";
import { ServiceClient } from "pulumi-webextract/service";
import * as provider from "pulumi-webextract/provider";
new TaskCopy("copy", { sourceTaskIds: "a" });
export const all = [ServiceClient, provider];
`;

/** The newest of each line of versions that people use, and the oldest that the SDK compiles programs with. */
const compilers = ["7", "6", "5.9", "3.8"];

describe("the types of the packed package", function () {
  this.timeout(300_000);
  let folder: string;
  before(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "webextract-compilers-")));
    await installTarball(folder, [sdk]);
    const forms = readFileSync(join(repositoryRoot, "test/program/argumentForms.ts"), "utf8");
    const files = { "entries.ts": entries, "program.ts": consumerProgram };
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(folder, name), text);
    }
    writeFileSync(join(folder, "forms.ts"), forms.replace("../../src/index", "pulumi-webextract"));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const version of compilers) {
    it(`are read by TypeScript ${version}, which finds a mistake and nothing else`, async () => {
      const compiler = join(folder, "compilers", version);
      await installPackages(compiler, [`typescript@${version}`]);
      const isOld = version === "3.8";
      // The SDK brings the newest @types/node (26.6.7), which TypeScript 3.8 cannot parse, nor any since 16.
      if (isOld) await installPackages(folder, ["@types/node@14"]);
      const flags = isOld ? "--module commonjs --target es2018" : "--module nodenext --target es2022";
      // TypeScript 3.8 takes no \`@ts-expect-error\`.
      const files = ["entries.ts", "program.ts", ...(isOld ? [] : ["forms.ts"])];
      const args = ["--noEmit", "--strict", "--skipLibCheck", "--types", "", ...flags.split(" "), ...files];
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [join(compiler, "node_modules/typescript/bin/tsc"), ...args.filter((each) => each !== "")],
        { cwd: folder },
      ).catch((error: ExecFileException) => ({ stdout: String(error.stdout) }));
      const mistakes = stdout.split("\n").filter((line) => /\berror TS\d+/.test(line));
      assert.equal(mistakes.length, 1, stdout);
      assert.match(String(mistakes[0]), /^entries\.ts\(5,\d+\): error .*sourceTaskIds/);
    });
  }
});
