import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { EmulatorOptions } from "webextract-emulator";
import { slowIt } from "../../test/environment";
import type { CliWorld } from "./webextract";
import { shop, useCliWorld } from "./webextract";

/** What lies at a path that a command is given. Answers the path. */
const places = {
  "a path whose folders are missing": () => "none/deeper/x",
  "a folder": (world) => {
    mkdirSync(world.path("folder"));
    return "folder";
  },
  "a path below a file": (world) => `${fileOf(world)}/x`,
  "another's file": fileOf,
  "another's file that is read-only": (world) => {
    chmodSync(world.path(fileOf(world)), 0o444);
    return "mine.txt";
  },
  "another name of another's file": (world) => {
    linkSync(world.path(fileOf(world)), world.path("hard"));
    return "hard";
  },
  "a link to another's file": (world) => linked(world, fileOf(world)),
  "a link to a folder": (world) => {
    mkdirSync(world.path("folder"));
    return linked(world, "folder");
  },
  "a link that leads nowhere": (world) => linked(world, "nowhere"),
  "a link to itself": (world) => linked(world, "link"),
  "a FIFO": (world) => {
    execFileSync("mkfifo", [world.path("fifo")]);
    return "fifo";
  },
  "a device without an end": () => "/dev/zero",
  "a device that is full": () => "/dev/full",
  "a device that keeps nothing": () => "/dev/null",
  "a place where nothing can be made": () => "/proc/none/x",
  "a name that is too long": () => "x".repeat(300),
  nothing: () => "",
} satisfies Record<string, (world: CliWorld) => string>;

type Place = keyof typeof places;

interface Column {
  line: readonly string[];
  environment?(world: CliWorld, path: string): Record<string, string | undefined>;
  /** The name of a link to the place, for a command that needs the ending of a name. */
  linkedAs?: string;
  /** What one error line, or the report, says. `done`: exit code 0. Places with the same answer are one entry. */
  says: readonly [exit: number, says: RegExp, ...at: Place[]][];
}

const taken: Place[] = [
  "another's file",
  "another's file that is read-only",
  "another name of another's file",
  "a link to another's file",
];
const devices: Place[] = ["a device without an end", "a device that is full", "a device that keeps nothing"];

/** Of an input file. */
const unreadable: Column["says"] = [
  [
    2,
    /^error: ".*" cannot be read \(ENOENT\)/,
    "a path whose folders are missing",
    "a link that leads nowhere",
    "a place where nothing can be made",
  ],
  [2, /^error: ".*" cannot be read \(ENOTDIR\)/, "a path below a file"],
  [2, /^error: ".*" cannot be read \(ELOOP\)/, "a link to itself"],
  [2, /^error: ".*" cannot be read \(ENAMETOOLONG\)/, "a name that is too long"],
  [2, /^error: ".*" cannot be read: it is not a file\./, "a folder", "a link to a folder", "a FIFO", ...devices],
];

/** Of manifests. */
const noManifest: Column["says"] = [
  [1, /leads to no file /, "a path whose folders are missing", "a path below a file", "a link that leads nowhere"],
  [1, /leads to no file /, "a link to itself", "a name that is too long", "a place where nothing can be made"],
  [1, /leads to no file that ends in \.yaml or \.yml /, "a folder", "a link to a folder"],
  [1, /:1:1: must be a map: /, ...taken],
  [1, /is not a file$/, "a FIFO", ...devices],
  [2, /^error: argument 'paths' is invalid\. It must not be empty\./, "nothing"],
];

/** Each command that is given a path, at each place. The path is in place of @. */
const commands: Record<string, Column> = {
  validate: { line: ["validate", "@"], says: noManifest },
  list: { line: ["list", "@"], says: noManifest },
  rename: { line: ["rename", "one", "two", "@"], says: noManifest },
  compare: {
    line: ["compare", "@", "@"],
    linkedAs: "at.csv",
    says: [
      [
        2,
        /^error: "at\.csv" cannot be read: ENOENT\. /,
        "a path whose folders are missing",
        "a link that leads nowhere",
      ],
      [2, /^error: "at\.csv" cannot be read: ENOENT\. /, "a place where nothing can be made"],
      [2, /^error: "at\.csv" cannot be read: ENOTDIR\. /, "a path below a file"],
      [2, /^error: "at\.csv" cannot be read: ELOOP\. /, "a link to itself"],
      [2, /^error: "at\.csv" cannot be read: ENAMETOOLONG\. /, "a name that is too long"],
      [
        2,
        /^error: "at\.csv" cannot be read: it is not a file\. /,
        "a folder",
        "a link to a folder",
        "a FIFO",
        ...devices,
      ],
      [0, /^Base: at\.csv, 0 rows$/, ...taken],
      [2, /^error: argument 'base' is invalid\. It must not be empty\./, "nothing"],
    ],
  },
  "plan-report": {
    line: ["plan-report", "@"],
    says: [
      ...unreadable,
      [2, /^error: argument 'file' is invalid\. It must not be empty\./, "nothing"],
      [2, /^error: The input is not the output of "pulumi preview --json"/, ...taken],
    ],
  },
  "adopt, ids": {
    line: ["adopt", "--ids-file", "@"],
    says: [
      ...unreadable,
      [4, /^error: The service does not show 1 task to this account: mine\. For each, the id is wrong/, ...taken],
      [2, /^error: option '--ids-file <file>' argument '' is invalid\. It must not be empty\./, "nothing"],
    ],
  },
  export: {
    line: ["export", shop.taskId, "--out", "@"],
    says: [
      [0, /^25 rows, /, "a path whose folders are missing"],
      [2, /^error: --out leads to ".*", which is a folder or is behind a file/, "a folder", "a link to a folder"],
      [2, /^error: --out leads to ".*mine\.txt\/.*", which is a folder or is behind a file/, "a path below a file"],
      [2, /^error: --out names a file that exists, /, ...taken, ...devices, "a FIFO"],
      [2, /^error: --out names a file that exists, /, "a link that leads nowhere", "a link to itself"],
      [1, /^error: The file ".*" cannot be written: EN.* No rows were read\./, "a place where nothing can be made"],
      [
        2,
        /^error: --out has a file name that is too long for this disk, .* No rows were read\./,
        "a name that is too long",
      ],
      [2, /^error: option '-o, --out <file>' argument '' is invalid\. It must not be empty\./, "nothing"],
    ],
  },
  adopt: {
    line: ["adopt", shop.taskId, "--yes", "--out", "@"],
    says: [
      [0, /^wrote .*shop-1\.yaml$/m, "a path whose folders are missing", "a folder", "a link to a folder"],
      [
        1,
        /^error: ".*" cannot be written: E.* No file was written\. Mend that, or name another file\. /,
        "a path below a file",
      ],
      [
        1,
        /^error: ".*" cannot be written: E.* No file was written\. /,
        "a link that leads nowhere",
        "a link to itself",
      ],
      [1, /^error: ".*" cannot be written: E.* No file was written\. /, "a place where nothing can be made"],
      [1, /^error: ".*" cannot be written: ENAMETOOLONG\. No file was written\. /, "a name that is too long"],
      [2, /^error: --out names the file ".*", whose ending must be \.yaml or \.ts\. /, ...taken, ...devices, "a FIFO"],
      [2, /^error: option '-o, --out <path>' argument '' is invalid\. It must not be empty\./, "nothing"],
    ],
  },
  "adopt, import file": {
    line: ["adopt", shop.taskId, "--import-file", "@"],
    says: [
      [0, /^wrote /m, "a path whose folders are missing"],
      [
        2,
        /^error: ".*" cannot be written: it is not a file\. /,
        "a folder",
        "a link to a folder",
        ...devices,
        "a FIFO",
      ],
      [1, /^error: ".*" cannot be written: .* No file was written\. /, "a path below a file"],
      [1, /^error: ".*" cannot be written: .* No file was written\. /, "a link that leads nowhere", "a link to itself"],
      [1, /^error: ".*" cannot be written: E.* No file was written\. /, "a place where nothing can be made"],
      [1, /^error: ".*" cannot be written: ENAMETOOLONG\. No file was written\. /, "a name that is too long"],
      [2, /^error: Replace \S+\? Nobody can answer.* Use --yes /, ...taken],
      [2, /^error: option '--import-file <file>' argument '' is invalid\. /, "nothing"],
    ],
  },
  "token refresh": {
    line: ["token", "refresh", "--yes"],
    environment: ({ emulator }, path) => ({
      WEBEXTRACT_ACCESS_TOKEN: undefined,
      WEBEXTRACT_REFRESH_TOKEN: emulator.credentials.refreshToken,
      WEBEXTRACT_TOKEN_STORE: path,
    }),
    says: [
      [0, /^The new tokens are in /, "a path whose folders are missing", "a folder", "a link to a folder", "nothing"],
      [
        3,
        /^error: not sent: the token store .* cannot be written \(E\w+\), so the new refresh token would be lost\. .*set tokenStore /,
        "a path below a file",
        ...taken,
      ],
      [3, /^error: not sent: the token store .* cannot be written \(E\w+\), /, ...devices, "a FIFO"],
      [
        3,
        /^error: not sent: the token store .* cannot be read \(a link that leads nowhere\): /,
        "a link that leads nowhere",
      ],
      [3, /^error: not sent: the token store .* cannot be written \(E\w+\), /, "a place where nothing can be made"],
      [
        3,
        /^error: not sent: the token store .* cannot be (?:read|written) \(E\w+\)[.,:] /,
        "a link to itself",
        "a name that is too long",
      ],
    ],
  },
};

const open = { actionType: "NavigateAction", actionId: "open", properties: { Url: "https://shop.test/" } };
const options: EmulatorOptions = {
  seed: { taskGroups: [{ taskGroupId: "shops" }], tasks: [{ ...shop, actions: [open] }] },
  behaviour: { getActionsEmptyTypes: "all" },
};

describe("a command that is given a path", () => {
  const world = useCliWorld(options);
  beforeEach(() => {
    world.emulator.change.insertRows(
      shop.taskId,
      Array.from({ length: 25 }, (_, index) => ({ sku: String(index) })),
    );
  });

  for (const [name, { line, environment, linkedAs, says }] of Object.entries(commands)) {
    const expected = says.flatMap(([exit, text, ...at]) => at.map((place) => ({ place, exit, text })));

    it(`${name}: is tested at each place`, () => {
      assert.deepEqual(expected.map(({ place }) => place).sort(), Object.keys(places).sort());
    });

    it(`${name}: refuses a path that only a shell replaces`, async () => {
      for (const path of ["~/rows", "$HOME/rows", "%USERPROFILE%/rows"]) {
        const args = line.map((word) => (word === "@" ? path : word));
        const { code, stderr } = await world.run(args, environment?.(world, path));
        assert.ok(stderr.includes(`a path with "${path.replace("/rows", "")}", which only a shell replaces.`), stderr);
        assert.notEqual(code, 0);
      }
      assert.deepEqual([filesIn(world.folder), world.operations()], [{}, []]);
    });

    // Every third place; all of them in the slow tests.
    for (const [index, { place, exit, text }] of expected.entries()) {
      const test = index % 3 === 0 ? it : slowIt;
      test(`${name} at ${place}`, async () => {
        const at = places[place](world);
        const path = linkedAs === undefined || at === "" ? at : linked(world, at, linkedAs);
        const before = filesIn(world.folder);
        const args = line.map((word) => (word === "@" ? path : word));
        const { code, stdout, stderr } = await world.run(args, environment?.(world, path));
        const [first = ""] = `${stderr}${stdout}`.split("\n").filter((each) => !each.startsWith("warning: "));
        assert.match(first, text);
        assert.equal(code, exit, stderr);
        assert.doesNotMatch(stderr, /^ +at /m);
        const after = filesIn(world.folder);
        if (exit === 0) {
          for (const [file, content] of Object.entries(before)) assert.equal(after[file], content);
        } else {
          assert.deepEqual(after, before);
        }
        if (stderr.includes("No rows were read")) assert.ok(!world.operations().includes("getData"));
      });
    }
  }
});

describe("a command on a full disk", () => {
  const world = useCliWorld(options);
  beforeEach(() => {
    world.emulator.change.insertRows(
      shop.taskId,
      Array.from({ length: 5_000 }, (_, index) => ({ sku: `${index}`.repeat(20) })),
    );
  });

  const unwritten = /^error: The file ".*" cannot be written: EFBIG: /;
  const unstored =
    /^error: .*not sent: the token store .* cannot be written \(EFBIG\), so the new refresh token would be lost\. Free space there/;
  const kept = /^(?:tokens|rows\.\w+\.\w{8}\.ndjson)$/;
  for (const [line, blocks, says, leaves] of [
    ["export shop-1 --out rows.ndjson", 0, unwritten, /^$/],
    ["export shop-1 --out rows.ndjson", 64, unwritten, kept],
    ["export shop-1 --out rows.csv --format csv", 64, unwritten, kept],
    ["export shop-1 --out rows.json --format json", 64, unwritten, kept],
    ["export shop-1 --out rows.parquet --format parquet", 64, unwritten, kept],
    ["adopt shop-1 --yes --out tasks", 0, /^error: "tasks\/shop-1\.yaml" cannot be written: EFBIG\. /, /^tasks$/],
    ["token refresh --yes", 0, unstored, /^tokens$/],
    ["rows shop-1", 0, unstored, /^tokens$/],
    ["token import --yes", 0, unstored, /^tokens$/],
  ] as const) {
    it(`${line}, after ${blocks} blocks: says what is lost, and leaves no half of a file`, async () => {
      const { refreshToken } = world.emulator.credentials;
      const isToken = /^(?:token|rows) /.test(line);
      const environment = isToken ? { WEBEXTRACT_REFRESH_TOKEN: refreshToken, WEBEXTRACT_ACCESS_TOKEN: undefined } : {};
      // The limit of a file's size is like a full disk. Its signal would end the process.
      writeFileSync(world.path("ignore.cjs"), 'process.on("SIGXFSZ", () => undefined);');
      const options = { NODE_OPTIONS: `--require=${world.path("ignore.cjs")}` };
      const running = world.start(line.split(" "), { ...environment, ...options }, `ulimit -f ${blocks}; exec "$@"`);
      running.process.stdin.end(refreshToken);
      const { code, stderr } = await running.ended;
      assert.match(stderr, says);
      assert.notEqual(code, 0);
      const left = readdirSync(world.folder).filter((name) => name !== "ignore.cjs");
      assert.deepEqual(
        left.filter((name) => !leaves.test(name)),
        [],
      );
      // Rows that are named in the error are there.
      assert.deepEqual(
        left.filter((name) => name.endsWith(".ndjson") && !stderr.includes(`/${name}"`)),
        [],
      );
      // The refresh token can still be used.
      assert.deepEqual(
        world.operations().filter((name) => name === "refreshToken"),
        [],
      );
    });
  }
});

/** A file that no command has written. */
function fileOf(world: CliWorld): string {
  writeFileSync(world.path("mine.txt"), "mine");
  return "mine.txt";
}

function linked(world: CliWorld, target: string, name = "link"): string {
  symlinkSync(target, world.path(name));
  return name;
}

/** Content of each file by its path, and the kind of all that is no file. */
function filesIn(folder: string): Record<string, string> {
  const found = readdirSync(folder, { recursive: true }).map(String);
  return Object.fromEntries(
    found.map((path) => {
      const stats = lstatSync(join(folder, path));
      return [path, stats.isFile() ? readFileSync(join(folder, path), "utf8") : `mode ${stats.mode}`];
    }),
  );
}
