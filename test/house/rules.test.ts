import assert from "node:assert/strict";
import { engineFitsSdk, operationsAreComplete, resourcesAreComplete } from "../../scripts/house/completeness";
import { expressionsAreLinear } from "../../scripts/house/expressions";
import { importsGoOneWay, pulumiStaysInTheFront } from "../../scripts/house/imports";
import type { Rule } from "../../scripts/house/source";
import {
  environmentStaysInConfig,
  everyTestRuns,
  filesHaveNames,
  filesStaySmall,
  nothingIsLeftForLater,
  statusCodesStayInErrors,
} from "../../scripts/house/wording";
import { houseOf } from "./houseOf";

function accepts(rule: Rule, files: Record<string, string>): void {
  assert.deepEqual(rule(houseOf(files)), []);
}

function refuses(rule: Rule, files: Record<string, string>, complaint: RegExp): void {
  const complaints = rule(houseOf(files));
  assert.equal(complaints.length, 1, complaints.join("\n"));
  assert.match(String(complaints[0]), complaint);
}

describe("house rule: imports go one way", () => {
  it("accepts what points down", () => {
    accepts(importsGoOneWay, {
      "src/resources/a.ts": 'import { b } from "./b";\nimport type { C } from "../service/c";',
      "emulator/src/store/a.ts": 'import type { Row } from "../contract";',
    });
  });

  it("refuses each way in which a file may be imported from above", () => {
    refuses(
      importsGoOneWay,
      { "src/service/a.ts": 'import { b } from "../resources/b";' },
      /service\/a\.ts imports src\/res/,
    );
    refuses(importsGoOneWay, { "src/resources/a.ts": 'export * from "../program/b";' }, /imports src\/program\/b/);
    refuses(importsGoOneWay, { "src/program/a.ts": 'const b = require("../cli/b");' }, /imports src\/cli\/b/);
    refuses(importsGoOneWay, { "src/program/a.ts": 'const b = await import("../index");' }, /imports src\/index/);
  });

  it("refuses the client in the emulator, and the emulator in the client", () => {
    const client = 'import { f } from "../../src/service/client";';
    refuses(importsGoOneWay, { "emulator/src/a.ts": client }, /src\/service\/client/);
    refuses(importsGoOneWay, { "src/service/a.ts": 'import { f } from "webextract-emulator";' }, /webextract-emulator/);
    refuses(importsGoOneWay, { "src/service/a.ts": 'import { f } from "../../emulator/src/a";' }, /emulator\/src\/a/);
  });
});

describe("house rule: regular expressions take linear time", () => {
  it("accepts those that do", () => {
    accepts(expressionsAreLinear, { "src/a.ts": "const a = /^[a-z]+$/; const b = /\\d{16}/; const c = a / b / 2;" });
  });

  it("refuses quadratic and exponential ones, with their place", () => {
    refuses(expressionsAreLinear, { "src/a.ts": "\nconst a = /\\/+$/;" }, /src\/a\.ts:2 .* 2nd degree polynomial/);
    const quoted = 'const a = /"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"/g;';
    refuses(expressionsAreLinear, { "emulator/src/a.ts": quoted }, /polynomial/);
    refuses(expressionsAreLinear, { "src/a.ts": "const a = /^(a+)+$/;" }, /exponential/);
  });
});

describe("house rule: Pulumi stays in the front", () => {
  const text = 'import type { Input } from "@pulumi/pulumi";';

  it("accepts it in program and manifest", () => {
    accepts(pulumiStaysInTheFront, { "src/program/a.ts": text, "src/manifest/a.ts": text });
  });

  it("refuses it in service, resources and emulator", () => {
    for (const part of ["src/service", "src/resources", "emulator/src"]) {
      refuses(pulumiStaysInTheFront, { [`${part}/a.ts`]: text }, /imports @pulumi\/pulumi/);
    }
  });
});

describe("house rule: the environment is read in config only", () => {
  it("accepts config files, comments and parameters called env", () => {
    accepts(environmentStaysInConfig, {
      "src/config.ts": "const a = process.env.A;",
      "src/service/a.ts": "// process.env is not read here\nexport const f = (env: object) => env;",
    });
  });

  it("refuses it elsewhere", () => {
    refuses(
      environmentStaysInConfig,
      { "src/service/a.ts": "const a = process.env.A;" },
      /service\/a\.ts reads process\.env/,
    );
    refuses(environmentStaysInConfig, { "src/service/a.ts": 'const a = process["env"];' }, /reads process\.env/);
  });
});

describe("house rule: status codes stay in errors", () => {
  it("accepts them in errors, in the emulator, in comments and as parts of numbers", () => {
    accepts(statusCodesStayInErrors, {
      "src/service/errors/errors.ts": "export const a = status === 429;",
      "emulator/src/a.ts": "reply.code(404);",
      "src/service/a.ts": "// after a 429\nexport const b = [1429, 4.29, 42900];",
    });
  });

  it("refuses them elsewhere", () => {
    refuses(statusCodesStayInErrors, { "src/service/a.ts": "if (status === 429) retry();" }, /knows status 429/);
    refuses(statusCodesStayInErrors, { "src/resources/a.ts": "const gone = [404];" }, /knows status 404/);
  });
});

describe("house rule: operations are complete", () => {
  const files = {
    "src/service/contract/operations.ts": "export const operations = {\n  copyTask: operation<A, B>({}),\n};",
    "emulator/src/handlers/index.ts": "export const handlers = { copyTask };",
    "emulator/openapi.yaml": "      operationId: copyTask\n",
  };

  it("accepts an operation with all its places", () => {
    accepts(operationsAreComplete, files);
  });

  it("names each place that is missing", () => {
    refuses(operationsAreComplete, { ...files, "emulator/openapi.yaml": "" }, /copyTask is not in openapi/);
    refuses(operationsAreComplete, { ...files, "src/service/contract/operations.ts": "" }, /copyTask has no entry/);
    refuses(operationsAreComplete, { ...files, "emulator/src/handlers/index.ts": "" }, /copyTask has no handler/);
  });
});

describe("house rule: resources are complete", () => {
  const files = {
    "src/resources/index.ts": "export const resources: Record<string, R> = {\n  TaskCopy: taskCopy,\n};",
    "src/resources/task/taskCopy.ts": "export const taskCopy: Resource<A, B> = {};",
    "src/program/classes.ts": "export class TaskCopy extends Base {}",
    "test/realEngine/lifecycle.test.ts": 'new TaskCopy("copy", {})',
    "test/realEngine/diffs/TaskCopy.txt": "TaskCopy: (create)",
    "README.md": "[TaskCopy](docs/resources.md#taskcopy)\npulumi-nodejs:dynamic/webextract:TaskCopy",
  };

  it("accepts a resource with all its places", () => {
    accepts(resourcesAreComplete, files);
  });

  it("names each place that is missing", () => {
    refuses(resourcesAreComplete, { ...files, "src/program/classes.ts": "" }, /TaskCopy has no class/);
    const text = files["README.md"];
    refuses(
      resourcesAreComplete,
      { ...files, "README.md": text.replace("#taskcopy", "") },
      /no link to docs\/resources\.md/,
    );
    refuses(resourcesAreComplete, { ...files, "README.md": text.replace(/Copy$/, "Copies") }, /type token .* TaskCopy/);
    refuses(
      resourcesAreComplete,
      { ...files, "test/realEngine/lifecycle.test.ts": "TaskCopy" },
      /TaskCopy is in no program/,
    );
    refuses(resourcesAreComplete, { ...files, "test/realEngine/diffs/TaskCopy.txt": "" }, /TaskCopy has no texts/);
    const other = "export const taskRename: Resource<A, B, C> = {};";
    refuses(
      resourcesAreComplete,
      { ...files, "src/resources/taskRename.ts": other },
      /taskRename.* is not in the list/,
    );
  });
});

describe("house rule: the engine fits the SDK", () => {
  const files = {
    "package.json": '"@pulumi/pulumi": ">=3.216.0 <4",\n"@pulumi/pulumi": "3.248.0"',
    "scripts/engine/engine.ts": 'export const engineVersion = "3.248.0";',
    "scripts/engine/pulumi/go.mod": "require github.com/pulumi/pulumi/pkg/v3 v3.248.0\n",
  };

  it("accepts one version in all three places", () => {
    accepts(engineFitsSdk, files);
  });

  it("refuses one that was left behind", () => {
    for (const path of Object.keys(files) as (keyof typeof files)[]) {
      refuses(engineFitsSdk, { ...files, [path]: files[path].replace("3.248.0", "3.249.0") }, /versions differ/);
    }
  });
});

describe("house rules on files", () => {
  it("accept a file that is small, named, finished and tested in full", () => {
    for (const rule of [filesStaySmall, filesHaveNames, nothingIsLeftForLater, everyTestRuns]) {
      accepts(rule, {
        "src/service/auth/tokenStore.ts": "a;\n".repeat(400),
        "test/service/tokenStore.slow.test.ts": 'it("tells which only one it is", () => {});\nskip(1);',
      });
    }
  });

  it("refuse a file of src that is too long", () => {
    refuses(filesStaySmall, { "src/a.ts": "a;\n".repeat(401) }, /401 lines/);
    accepts(filesStaySmall, { "test/a.ts": "a;\n".repeat(401) });
  });

  it("refuse names that say nothing, and names of another style", () => {
    refuses(filesHaveNames, { "src/service/utils.ts": "" }, /explains nothing/);
    refuses(filesHaveNames, { "src/service/token-store.ts": "" }, /camelCase/);
  });

  it("refuse what is left for later", () => {
    for (const word of ["TO" + "DO", "FIX" + "ME"]) {
      refuses(nothingIsLeftForLater, { "src/a.ts": `a;\n// ${word}: b` }, /src\/a\.ts:2 says/);
    }
  });

  it("refuse tests that are left out", () => {
    for (const call of ["it.on" + "ly(", "describe.sk" + "ip(", "xi" + "t("]) {
      refuses(everyTestRuns, { "test/a.test.ts": `${call}"a", f);` }, /leaves tests out/);
    }
  });
});
