import assert from "node:assert/strict";
import { whyNotWritten } from "../../scripts/docs";
import { engineFitsSdk, operationsAreComplete, resourcesAreComplete } from "../../scripts/rules/completeness";
import { expressionsAreLinear } from "../../scripts/rules/expressions";
import {
  bundledModulesHaveNoFolder,
  foldersStaySmall,
  namesSaySomething,
  nothingIsLeftForLater,
  partsKeepTheirBudgets,
} from "../../scripts/rules/files";
import {
  importsFollowTheOrder,
  importsKeepTheWalls,
  packagesStayInTheirRooms,
  partsUseTheDoors,
  srcHoldsWhatEntriesReach,
} from "../../scripts/rules/imports";
import { linksResolve, namedModulesExist, pagesOfMessagesExist } from "../../scripts/rules/links";
import type { Rule } from "../../scripts/rules/project";
import { budgets, doors, entries } from "../../scripts/rules/walls";
import { projectOf } from "./projectOf";

const accepts = async (rule: Rule, files: Record<string, string>): Promise<void> =>
  assert.deepEqual(await rule(projectOf(files)), []);

async function refuses(rule: Rule, files: Record<string, string>, complaint: RegExp): Promise<void> {
  const complaints = await rule(projectOf(files));
  assert.equal(complaints.length, 1, complaints.join("\n"));
  assert.match(String(complaints[0]), complaint);
}

/** The same of one rule. */
const checks = (rule: Rule) => ({ accepts: accepts.bind(null, rule), refuses: refuses.bind(null, rule) });

describe("project rule: regular expressions take linear time", () => {
  const { accepts, refuses } = checks(expressionsAreLinear);
  it("accepts linear expressions", async () => {
    await accepts({
      "src/a.ts": "const a = /^[a-z]+$/; const b = /\\d{16}/; const c = a / b / 2;",
    });
  });

  it("refuses quadratic and exponential expressions, with their place", async () => {
    await refuses({ "src/a.ts": "\nconst a = /\\/+$/;" }, /src\/a\.ts:2 .* 2nd degree polynomial/);
    const quoted = 'const a = /"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"/g;';
    await refuses({ "emulator/src/a.ts": quoted }, /polynomial/);
    await refuses({ "src/a.ts": "const a = /^(a+)+$/;" }, /exponential/);
    await refuses({ "src/a.ts": "const a = /(?!x)\\s+$/;" }, /polynomial/);
  });
});

describe("project rule: imports keep the walls", () => {
  const importOf = (name: string): string => `import { a } from "${name}";`;

  for (const [path, kept, refused] of [
    ["src/values/a.ts", "./kinds", "../service/client"],
    ["src/service/http/a.ts", "../../values/kinds", "../../resources/b"],
    ["src/engine/a.ts", "../service/client", "../resources/resource"],
    ["src/rows/a.ts", "../values/plain", "../resources/resource"],
    ["src/resources/task/a.ts", "../../rows/outputPath", "../../config/config"],
    ["src/config/a.ts", "../resources/resource", "../provider/host"],
    ["src/provider/a.ts", "../engine/sdk", "../program/classes"],
    ["src/program/a.ts", "../config/config", "../manifest/manifest"],
    ["src/manifest/a.ts", "../resources/args", "../program/classes"],
    ["src/manifest/b.ts", "../service/errors/foreignText", "../service/client"],
    ["src/manifest/manifest.ts", "../program/classes", "../provider/host"],
    ["src/index.ts", "./program/classes", "./provider/host"],
    ["src/provider/b.ts", "../config/config", "../../cli/src/cli"],
    ["cli/src/a.ts", "../../src/config/config", "../../src/provider/host"],
    ["plugin/src/a.ts", "../../src/provider/host", "../../src/program/classes"],
    ["plugin/src/b.ts", "./server", "../../cli/src/cli"],
    ["emulator/src/store/a.ts", "../generated/service", "../../../src/service"],
  ] as const) {
    it(`of ${path}: ${kept}, and not ${refused}`, async () => {
      await accepts(importsKeepTheWalls, { [path]: importOf(kept) });
      await refuses(importsKeepTheWalls, { [path]: importOf(refused) }, new RegExp(`^${path} imports `));
    });
  }

  for (const text of [
    'import type { A } from "../resources/a";',
    'export { a } from "../resources/a";',
    'export const a = () => import("../resources/a");',
    'const a = require("../resources/a");',
  ]) {
    it(`refuses in each form: ${text}`, async () => {
      await refuses(importsKeepTheWalls, { "src/service/a.ts": text }, /imports src\/resources\/a/);
    });
  }

  it("keeps Pulumi in the rooms that know it, and the package out of its parts", async () => {
    await accepts(packagesStayInTheirRooms, { "src/program/a.ts": importOf("@pulumi/pulumi") });
    await accepts(packagesStayInTheirRooms, { "test/a.test.ts": importOf("pulumi-webextract") });
    for (const room of ["src/service", "src/resources", "src/manifest", "cli/src", "emulator/src"]) {
      await refuses(packagesStayInTheirRooms, { [`${room}/a.ts`]: importOf("@pulumi/pulumi/log") }, /may not/);
    }
    await refuses(packagesStayInTheirRooms, { "emulator/src/a.ts": importOf("pulumi-webextract/service") }, /may not/);
    await refuses(packagesStayInTheirRooms, { "plugin/src/a.ts": importOf("webextract-emulator") }, /may not/);
  });

  it("has a door for each module that another part imports, and no other door", async () => {
    const files = Object.fromEntries(
      Object.entries(doors).map(([part, open]) => [
        `${part}/a.ts`,
        open.map((each) => importOf(`../../${each.slice(0, -3)}`)).join("\n"),
      ]),
    );
    const modules = Object.fromEntries(Object.values(doors).flatMap((open) => open.map((each) => [each, ""])));
    await accepts(partsUseTheDoors, { ...files, ...modules });
    await refuses(
      partsUseTheDoors,
      { ...files, ...modules, "src/new.ts": "", "cli/src/b.ts": importOf("../../src/new") },
      /cli\/src imports src\/new\.ts: no door/,
    );
    const { "cli/src/a.ts": first = "" } = files;
    await refuses(
      partsUseTheDoors,
      { ...files, ...modules, "cli/src/a.ts": first.slice(first.indexOf("\n")) },
      /cli\/src does not import .* any more/,
    );
  });

  it("holds in src what the entries reach", async () => {
    const [entry = ""] = entries;
    const files = { [entry]: importOf("./program/a"), "src/program/a.ts": importOf("./b"), "src/program/b.ts": "" };
    await accepts(srcHoldsWhatEntriesReach, files);
    await refuses(
      srcHoldsWhatEntriesReach,
      { ...files, "src/program/c.ts": importOf("./a") },
      /c\.ts is reached by no/,
    );
  });

  it("has a budget of lines for each part", async () => {
    for (const { part, folders, lines } of budgets) {
      const [folder] = folders;
      await accepts(partsKeepTheirBudgets, { [`${folder}/a.ts`]: "\n".repeat(lines) });
      await refuses(partsKeepTheirBudgets, { [`${folder}/a.ts`]: "\n".repeat(lines + 1) }, new RegExp(`^${part} has `));
    }
  });
});

describe("project rule: imports follow the order of a part", () => {
  const { accepts, refuses } = checks(importsFollowTheOrder);
  it("accepts imports of what stands later, and of the same folder", async () => {
    await accepts({
      "emulator/src/http/a.ts":
        'import { b } from "../handlers/b";\nimport { c } from "./c";\nimport { d } from "../errors";',
      "emulator/src/errors.ts": 'import { a } from "node:http";',
      "src/resources/a.ts": 'import { b } from "../service/b";',
    });
  });

  const back = /store\/a\.ts imports emulator\/src\/http\/b(?:\.ts)?, which stands before it/;
  for (const text of [
    'import { b } from "../http/b";',
    'import type { B } from "../http/b";',
    'export { b } from "../http/b";',
    'export const b = () => import("../http/b");',
  ]) {
    it(`refuses back: ${text}`, async () => {
      await refuses({ "emulator/src/store/a.ts": text }, back);
    });
  }

  it("refuses a folder without a place in the order", async () => {
    await refuses({ "emulator/src/other/a.ts": "" }, /write other into the order of emulator\/src/);
  });
});

describe("project rule: the modules of a bundle have no folder of their own", () => {
  it("accepts __dirname where it is the same folder in the bundle, and where the bundle has a worker", async () => {
    await accepts(bundledModulesHaveNoFolder, {
      "emulator/src/contract.ts": "const a = join(__dirname, '..');",
      "emulator/src/extraction/reading/pagePool.ts": "const a = __filename;",
      "emulator/src/page/a.ts": "// not __dirname\nconst a = packageFolder;",
      "src/system/ownPackage.ts": "const a = __dirname;",
    });
  });

  it("refuses it elsewhere in the emulator", async () => {
    await refuses(
      bundledModulesHaveNoFolder,
      { "emulator/src/page/a.ts": "const a = __dirname;" },
      /take packageFolder/,
    );
  });
});

describe("project rule: operations are complete", () => {
  const { accepts, refuses } = checks(operationsAreComplete);
  const files = {
    "src/service/contract/operations.ts": "export const operations = {\n  copyTask: operation<A, B>({}),\n};",
    "emulator/src/handlers/index.ts": "export const handlers = { copyTask };",
    "emulator/openapi.yaml": "      operationId: copyTask\n",
  };

  it("accepts an operation with all its places", async () => {
    await accepts(files);
  });

  it("names each place that is missing", async () => {
    await refuses({ ...files, "emulator/openapi.yaml": "" }, /copyTask is not in openapi/);
    await refuses({ ...files, "src/service/contract/operations.ts": "" }, /copyTask has no entry/);
    await refuses({ ...files, "emulator/src/handlers/index.ts": "" }, /copyTask has no handler/);
  });
});

describe("project rule: resources are complete", () => {
  const { accepts, refuses } = checks(resourcesAreComplete);
  const files = {
    "src/resources/index.ts": "export const resources: Record<string, R> = {\n  TaskCopy: taskCopy,\n};",
    "src/resources/task/taskCopy.ts": "export const taskCopy: Resource<A, B> = {};",
    "src/program/classes.ts": "export class TaskCopy extends Base {}",
    "test/realEngine/lifecycle.test.ts": 'new TaskCopy("copy", {})',
    "test/realEngine/diffs/TaskCopy.txt": "TaskCopy: (create)",
    "README.md": "[TaskCopy](docs/reference/task-copy.md)",
    "docs/reference/task-copy.md": "# TaskCopy",
    "docs/reference/README.md": "[TaskCopy](task-copy.md)",
    "examples/reference/index.ts": 'new TaskCopy("copy", {})',
    "scripts/schema/examples.ts": 'TaskCopy: ["taskCopy"]',
  };

  it("accepts a resource with all its places", async () => {
    await accepts(files);
  });

  for (const [path, lacking] of Object.entries({
    "src/program/classes.ts": /^resource TaskCopy needs a class in src\/program\/classes\.ts$/,
    "README.md": /^resource TaskCopy needs a link to its page in README\.md$/,
    "test/realEngine/lifecycle.test.ts":
      /^resource TaskCopy needs a test in test\/resources or test\/realEngine that declares it$/,
    "test/realEngine/diffs/TaskCopy.txt":
      /needs a golden file of its previews, test\/realEngine\/diffs\/TaskCopy\.txt$/,
    "docs/reference/task-copy.md": /needs a page, docs\/reference\/task-copy\.md$/,
    "docs/reference/README.md": /needs a row in docs\/reference\/README\.md$/,
    "examples/reference/index.ts":
      /needs an example in examples\/reference, and one in each language of its folder languages$/,
    "scripts/schema/examples.ts": /needs the regions of its example in scripts\/schema\/examples\.ts$/,
  })) {
    it(`names what is missing in ${path}`, async () => {
      await refuses({ ...files, [path]: "" }, lacking);
    });
  }

  it("says in one message all that a new resource needs", async () => {
    const definition = "export const taskRename: Resource<A, B, C> = {};";
    const all =
      /^resource TaskRename needs a line in the list of .*; a class in .*; a test in .*; a page, .*; an example in /;
    await refuses({ ...files, "src/resources/taskRename.ts": definition }, all);
  });
});

describe("npm run docs with a new resource", () => {
  it("names all that it needs, and otherwise the error", () => {
    const error = new Error("examples/reference/index.ts has no region tenth");
    const added = { "src/resources/index.ts": "export const resources = {\n  Tenth: tenth,\n};" };
    assert.match(whyNotWritten(error, projectOf(added)), /^Not all.*\nresource Tenth needs .*an example in examples/);
    assert.match(whyNotWritten(error, projectOf({})), /^Not all.*\nError: examples\/reference.*no region tenth$/);
  });
});

describe("project rule: the engine fits the SDK", () => {
  const files = {
    "package.json": '"@pulumi/pulumi": ">=3.216.0 <4",\n"@pulumi/pulumi": "3.248.0"',
    "scripts/engine/engine.ts": 'export const engineVersion = "3.248.0";',
    "scripts/engine/pulumi/go.mod": "require github.com/pulumi/pulumi/pkg/v3 v3.248.0\n",
    "scripts/schema/sdks/go.mod": "require github.com/pulumi/pulumi/pkg/v3 v3.248.0\n",
  };

  it("accepts one version in all four places", async () => {
    await accepts(engineFitsSdk, files);
  });

  it("refuses a different version", async () => {
    for (const path of Object.keys(files) as (keyof typeof files)[]) {
      await refuses(engineFitsSdk, { ...files, [path]: files[path].replace("3.248.0", "3.249.0") }, /versions differ/);
    }
  });
});

describe("project rules on files", () => {
  it("accept a folder that is small, and files that are named and finished", async () => {
    const files = Array.from({ length: 14 }, (_, index) => [`src/service/http/file${index}.ts`, "skip(1);"]);
    for (const rule of [foldersStaySmall, namesSaySomething, nothingIsLeftForLater]) {
      await accepts(rule, Object.fromEntries(files));
    }
  });

  it("refuse a folder of code with too many files side by side", async () => {
    const files = (folder: string) =>
      Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`${folder}/file${index}.ts`, ""]));
    for (const folder of ["src/service/http", "emulator/src/store", "scripts", "bench/peers"]) {
      await refuses(foldersStaySmall, files(folder), /has 15 source files/);
    }
    await accepts(foldersStaySmall, files("test/realEngine"));
  });

  it("refuse names without a meaning", async () => {
    await refuses(namesSaySomething, { "src/service/utils.ts": "" }, /utils\.ts: name the file/);
    await refuses(namesSaySomething, { "test/helpers.test.ts": "" }, /helpers\.test\.ts: name the file/);
  });

  it("refuse work that is left for later", async () => {
    for (const word of ["TO" + "DO", "FIX" + "ME"]) {
      await refuses(nothingIsLeftForLater, { "src/a.ts": `a;\n// ${word}: b` }, /src\/a\.ts:2 leaves work/);
    }
  });
});

describe("project rule: links resolve", () => {
  const { accepts, refuses } = checks(linksResolve);
  const files = {
    "docs/page.md": '# A page\n\n## `pulumi up` fails (again)\n\n## Twice\n\n## Twice\n\n| <a id="in-a-table"></a> |\n',
    "src/index.ts": "",
  };
  const page = (text: string) => ({ ...files, "README.md": text });

  it("accepts files, folders, headings, ids and other sites", async () => {
    const links = [
      "docs/page.md",
      "docs",
      "/src/index.ts",
      "docs/page.md#pulumi-up-fails-again",
      "docs/page.md#twice-1",
    ];
    const others = ["docs/page.md#in-a-table", "#here", "https://example.test/none#none", "mailto:a@example.test"];
    await accepts(page(`# Here\n\n${[...links, ...others].map((link) => `- [a](${link})\n`).join("")}`));
    await accepts(page("In code: `[a](none.md)`\n\n```md\n[a](none.md)\n```\n"));
  });

  it("refuses a missing file, heading or picture, with the line", async () => {
    await refuses(page("one\n\n[a](docs/none.md)"), /^README\.md:3 links to docs\/none\.md: .* file$/);
    await refuses(page("[a](docs/page.md#none)"), /page\.md#none: the page has no such heading/);
    await refuses(page("[a](#none)"), /#none: the page has no such heading/);
    await refuses(page("![a](docs/none.svg)"), /none\.svg: there is no such file/);
    await refuses(page('<img src="docs/none.svg">'), /none\.svg: there is no such file/);
    await refuses(page("[a][b]\n\n[b]: ../outside.md"), /outside\.md: there is no such file/);
    await refuses({ ...files, "docs/other.md": "[a](docs/page.md)" }, /^docs\/other\.md:1 /);
  });
});

describe("project rule: pages that messages name exist", () => {
  const { accepts, refuses } = checks(pagesOfMessagesExist);
  const message = (page: string) => ({ "docs/page.md": "# A page\n\n## Here\n", "src/a.ts": `moreAt("${page}")` });

  it("accepts a heading, and refuses another one, another page, and a page without a heading", async () => {
    await accepts(message("page.md#here"));
    await refuses(message("page.md#there"), /^src\/a\.ts leads to docs\/page\.md#there: .* heading$/);
    await refuses(message("none.md#here"), /none\.md#here: there is no such file/);
    await refuses(message("page.md"), /it names no heading/);
  });
});

describe("project rule: modules that pages for contributors name exist", () => {
  const files = { "src/resources/run/cloudRun.ts": "", "docs/page.md": "`none.ts`" };

  it("accepts the path of a module and the end of it, and any name in the pages for users", async () => {
    const text = "`src/resources/run/cloudRun.ts`, `run/cloudRun.ts`, `cloudRun.ts`, `*.slow.test.ts`, `page.json`";
    await accepts(namedModulesExist, { ...files, "contributing/walks.md": text });
  });

  it("refuses others, with the line", async () => {
    for (const name of ["Run.ts", "http/cloudRun.ts"]) {
      await refuses(
        namedModulesExist,
        { ...files, "CONTRIBUTING.md": `one\n\`${name}\`` },
        /^CONTRIBUTING\.md:2 names .* file$/,
      );
    }
  });
});
