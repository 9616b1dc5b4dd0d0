import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { programOf, repositoryRoot } from "../../scripts/commands";

/** A file that breaks one rule of biome.json, and one beside it that doesn't. */
interface Case {
  rule: string;
  path: string;
  breaks: string;
  keeps: string;
}

const cases: readonly Case[] = [
  // The client waits by its clock, and tests import what the package has, or from one place.
  ...(
    [
      ["src/service/http/a.ts", "node:timers/promises", "./clock"],
      ["test/service/a.test.ts", "../../src/service/client", "../../src/service"],
      ["test/provider/a.test.ts", "../../src/provider/host", "../../src/provider/provider"],
      ["test/a.test.ts", "../src/config/config", "./internals/config"],
      ["cli/test/a.test.ts", "../src/cli", "./internals/cli"],
      ["plugin/test/a.test.ts", "../src/server", "./internals"],
      ["emulator/test/a.test.ts", "../src/runs/runner", "./internals"],
      ["test/a.test.ts", "fast-check", "./fastCheck"],
    ] as const
  ).map(([path, breaks, keeps], index) => ({
    rule: "noRestrictedImports",
    path: path.replace(/\ba\./, `a${index}.`),
    breaks: `import { a } from "${breaks}";\nexport const b = a;\n`,
    keeps: `import { a } from "${keeps}";\nexport const b = a;\n`,
  })),
  {
    rule: "noCommonJs",
    path: "src/service/e.ts",
    breaks: 'export const a = require("../resources/b");\n',
    keeps: 'import { b } from "./options";\nexport const a = b;\n',
  },
  // Waits go through the client's clock, and the environment is read in one place.
  ...["setTimeout(() => undefined, 1)", "performance.now()", "setInterval(() => undefined, 1)"].map((wait, index) => ({
    rule: "noRestrictedGlobals",
    path: `src/service/http/wait${index}.ts`,
    breaks: `export const a = (): unknown => ${wait};\n`,
    keeps: "export const a = (): unknown => Date.now();\n",
  })),
  ...["src/service/client.ts", "src/program/a.ts", "emulator/src/a.ts"].map((path) => ({
    rule: "noProcessEnv",
    path,
    breaks: "export const a = process.env.A;\n",
    keeps: "export const a = (env: Record<string, string>): unknown => env.A;\n",
  })),
  {
    rule: "noExcessiveLinesPerFile",
    path: "src/service/long.ts",
    breaks: 'export const a = "";\n\n'.repeat(201).replaceAll(/\ba\b/g, "a"),
    keeps: "export const a = 1;\n",
  },
  // Tests run, all of them.
  {
    rule: "noFocusedTests",
    path: "test/only.test.ts",
    breaks: 'it.only("a", () => undefined);\n',
    keeps: 'it("a", () => undefined);\n',
  },
  {
    rule: "noSkippedTests",
    path: "test/skip.test.ts",
    breaks: 'describe.skip("a", () => undefined);\n',
    keeps: 'describe("a", () => undefined);\n',
  },
  {
    rule: "noSkippedTests",
    path: "test/xit.test.ts",
    breaks: 'xit("a", () => undefined);\n',
    keeps: 'it("a", () => undefined);\n',
  },
];

interface Diagnostic {
  category: string;
  location: { path: string };
}

describe("the linter's rules", () => {
  const folder = mkdtempSync(join(tmpdir(), "webextract-lint-"));
  let broken: Set<string>;
  const at = (variant: string, path: string): string => join(variant, path);

  before(() => {
    const { vcs: _vcs, ...config } = JSON.parse(readFileSync(join(repositoryRoot, "biome.json"), "utf8"));
    const found: string[] = [];
    for (const variant of ["breaks", "keeps"] as const) {
      const write = (path: string, text: string): void => {
        mkdirSync(dirname(join(folder, variant, path)), { recursive: true });
        writeFileSync(join(folder, variant, path), text);
      };
      write("biome.json", JSON.stringify(config));
      for (const { path, [variant]: text } of cases) {
        write(path, text);
      }
      for (const [path, text] of Object.entries(named[variant])) {
        write(path, text);
      }
      found.push(...diagnosticsOf(join(folder, variant)).map((each) => at(variant, each)));
    }
    broken = new Set(found);
  });
  after(() => rmSync(folder, { recursive: true }));

  for (const { rule, path, breaks } of cases) {
    it(`refuse in ${path}: ${breaks.split("\n")[0]}`, () => {
      assert.ok(broken.has(at("breaks", `${path} ${rule}`)));
    });
  }

  it("refuse a file name that is not camelCase, and a cycle of imports of types", () => {
    assert.ok(broken.has(at("breaks", "src/token-store.ts useFilenamingConvention")));
    assert.ok(broken.has(at("breaks", "src/program/cycleA.ts noImportCycles")));
  });

  it("accept the files beside them", () => {
    assert.deepEqual(
      [...broken].filter((each) => each.startsWith("keeps")),
      [],
    );
  });
});

/** What the name of a file breaks, and what takes two files. */
const named: Record<"breaks" | "keeps", Record<string, string>> = {
  breaks: {
    "src/token-store.ts": "export const a = 1;\n",
    "src/program/cycleA.ts": 'import type { B } from "./cycleB";\nexport type A = B[];\n',
    "src/program/cycleB.ts": 'import type { A } from "./cycleA";\nexport type B = A | 1;\n',
  },
  keeps: {
    "src/tokenStore.ts": "export const a = 1;\n",
    "test/tokenStore.slow.test.ts": "export const a = 1;\n",
    "src/program/cycleA.ts": 'import type { B } from "./cycleB";\nexport type A = B[];\n',
    "src/program/cycleB.ts": "export type B = 1;\n",
  },
};

/** The files of a folder that break a rule, each with the rule. */
function diagnosticsOf(folder: string): string[] {
  const args = [programOf("@biomejs/biome"), "lint", "--reporter=json", "--max-diagnostics=none"];
  const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: Diagnostic[] };
  return diagnostics.map(({ category, location: { path } }) => `${path} ${category.split("/").at(-1)}`);
}
