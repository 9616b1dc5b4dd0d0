import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import ts from "typescript";
import "../../examples/mocks/shop.test";
import { isOneOf, isUnknownType } from "../../examples/policy/declared";
import { isLarge, slowIt } from "../environment";
import { resources } from "../internals/resources";
import { repository } from "./readPage";

const programs = [
  "compose/index.ts",
  ...readdirSync(join(repository, "examples/howTo")).map((file) => `howTo/${file}`),
];

describe("the examples of the pages", () => {
  after(() => pulumi.runtime.setAllConfig({}));

  for (const program of programs) {
    it(`declare resources that fit together: ${program}`, async () => {
      const names: string[] = [];
      await pulumi.runtime.setMocks({
        newResource: ({ name, inputs }) => {
          names.push(name);
          return { id: `${name}-id`, state: { lotNo: "1", file: "rows.ndjson", rowCount: 0, ...inputs } };
        },
        call: () => ({}),
      });
      pulumi.runtime.setAllConfig({ "project:siteUrl": "https://shop.example" });
      await pulumi.runtime.runInPulumiStack(async () => require(join(repository, "examples", program)));
      await (pulumi.runtime as unknown as { waitForRPCs(): Promise<void> }).waitForRPCs();
      assert.ok(names.length > 1, names.join());
    });
  }
});

describe("the policy pack", () => {
  it("knows each type, of the classes and of the plugin", () => {
    for (const name of [...Object.keys(resources), "Manifest"]) {
      for (const type of [`pulumi-nodejs:dynamic/webextract:${name}`, `webextract:index:${name}`]) {
        const args = { type } as Parameters<typeof isUnknownType>[0];
        assert.deepEqual([isOneOf(args, name), isUnknownType(args)], [true, false], type);
      }
    }
  });
});

describe("an example with a project of its own", () => {
  const examples = join(repository, "examples");
  const own = readdirSync(examples).filter((name) => existsSync(join(examples, name, "Pulumi.yaml")));
  let copies: string;
  before(() => {
    copies = mkdtempSync(join(tmpdir(), "webextract-examples-"));
    mkdirSync(join(copies, "node_modules"));
    symlinkSync(repository, join(copies, "node_modules/pulumi-webextract"));
    for (const name of ["@pulumi", "@types"]) {
      symlinkSync(join(repository, "node_modules", name), join(copies, "node_modules", name));
    }
  });
  after(() => rmSync(copies, { recursive: true }));

  /** The declarations of Pulumi, Node.js and this package are parsed once. */
  const parsed = new Map<string, ts.SourceFile | undefined>();
  const hostOf = (options: ts.CompilerOptions): ts.CompilerHost => {
    const host = ts.createCompilerHost(options);
    return {
      ...host,
      getSourceFile: (name, languageVersion, ...rest) => {
        if (!name.endsWith(".d.ts")) return host.getSourceFile(name, languageVersion, ...rest);
        const file = parsed.get(name) ?? host.getSourceFile(name, languageVersion, ...rest);
        parsed.set(name, file);
        return file;
      },
    };
  };

  const problemsIn = (folder: string): string[] => {
    const { config } = ts.readConfigFile(join(folder, "tsconfig.json"), ts.sys.readFile);
    const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
    assert.ok(fileNames.includes(join(folder, "index.ts")));
    return ts
      .getPreEmitDiagnostics(ts.createProgram(fileNames, { ...options, noEmit: true }, hostOf(options)))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "));
  };

  for (const [index, name] of own.entries()) {
    // npm run check compiles all of them where they are.
    const test = index === 0 ? it : slowIt;
    test(`names its entry point, and compiles in its folder and copied out of it: ${name}`, function () {
      this.timeout(120_000);
      const folder = join(examples, name);
      assert.match(readFileSync(join(folder, "Pulumi.yaml"), "utf8"), /^main: index\.ts$/m);
      if (isLarge) assert.deepEqual(problemsIn(folder), []);
      const copy = join(copies, name);
      cpSync(folder, copy, { recursive: true });
      assert.deepEqual(problemsIn(copy), []);
    });
  }
});
