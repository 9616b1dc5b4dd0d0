import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { isLarge } from "../../test/environment";
import type { CliWorld, Running } from "./webextract";
import { fakePulumi, shop, useCliWorld } from "./webextract";

type Signals = readonly NodeJS.Signals[];

/** A moment of a command. */
interface Moment {
  line: string;
  /** The answer that is held while the signals come. */
  held?: Parameters<CliWorld["holdAnswer"]>[0];
  /** Resolves when the command waits for something else. Default: when it has read a part of its standard input. */
  isReached?(world: CliWorld): Promise<unknown>;
  prepare?(world: CliWorld): unknown;
  environment?(world: CliWorld): Record<string, string>;
  /** The exit code after one signal, if it is not that of the signal. The held answer then arrives. */
  afterOne?: number;
  /** The last line after one signal. */
  says: RegExp;
  /** What the last line says after two signals. Absent if the first one ends the command at once. */
  lastWords?: RegExp;
  /** Names of the files that may be left. Default: none. */
  leaves?: RegExp;
}

/** Rows of several pages. */
function insertManyRows({ emulator }: CliWorld): void {
  const rows = Array.from({ length: 5_000 }, (_, index) => ({ sku: String(index) }));
  emulator.change.insertRows("shop-1", rows);
}

/** A command that reads the state or the configuration of a stack. */
const waitingForPulumi: Pick<Moment, "environment" | "isReached" | "says" | "leaves"> = {
  environment: (world) => ({
    PATH: fakePulumi(world, 'require("fs").writeFileSync("waits", ""); setInterval(() => undefined, 1000);'),
  }),
  isReached: async (world) => {
    while (!existsSync(world.path("waits"))) await setTimeout(20);
  },
  says: /^error: .*[Ii]nterrupted/,
  leaves: /^(?:pulumi|waits)$/,
};

/** A wait for the response to a read is in everyCommand.test.ts. */
const moments: Record<string, Moment> = {
  "run, reading": {
    line: "run shop-1 --yes",
    held: { operation: "getSubtasks" },
    says: /interrupted before it started a run of task "shop-1"\. Nothing was started/,
  },
  "run, starting": {
    line: "run shop-1 --yes",
    held: { operation: "startTask" },
    says: /Run \d+ of task "shop-1" was not seen to finish before the command was interrupted/,
    lastWords: /^error: A paid run of task "shop-1" may have started\. .* run "webextract run shop-1 --lot-no LOTNO"/,
  },
  "run --no-wait, starting": {
    line: "run shop-1 --yes --no-wait",
    held: { operation: "startTask" },
    afterOne: 0,
    says: /Run \d+ of task "shop-1" has started/,
    lastWords: /^error: A paid run of task "shop-1" may have started\./,
  },
  "run --lot-no, waiting": {
    line: "run shop-1 --lot-no 1",
    held: { operation: "getSubtasks" },
    says: /Run 1 of task "shop-1" was not seen to finish before the command was interrupted/,
  },
  "adopt, between two tasks": {
    line: "adopt shop-1 shop-2 --out tasks",
    prepare: ({ emulator }) => emulator.change.addTask({ ...shop, taskId: "shop-2" }),
    held: { operation: "getActions", taskId: "shop-2" },
    says: /^error: /,
  },
  "export, reading its only page": {
    line: "export shop-1 --out rows.json",
    held: { operation: "getData" },
    afterOne: 0,
    says: /^Ending\./,
    leaves: /^rows\.json$/,
  },
  "export, between two pages": {
    line: "export shop-1 --out rows.json",
    prepare: insertManyRows,
    held: { operation: "getData", skip: 1 },
    says: /^error: The export was interrupted after 2000 of 5000 rows of task "shop-1"\. No file was written, and nothing was marked\. Run the same command again\./,
    leaves: /^rows\.json\.\w+\.ndjson$/,
  },
  "export to standard output, between two pages": {
    line: "export shop-1",
    prepare: insertManyRows,
    held: { operation: "getData", skip: 1 },
    says: /^error: /,
  },
  "list, waiting for pulumi": { line: "list --stack dev", ...waitingForPulumi },
  "status of a name, waiting for pulumi": { line: "status books --stack dev", ...waitingForPulumi },
  "token refresh, exchanging": {
    line: "token refresh --yes",
    environment: ({ emulator }) => ({ WEBEXTRACT_REFRESH_TOKEN: emulator.credentials.refreshToken }),
    held: { operation: "refreshToken", when: "after" },
    afterOne: 0,
    says: /^Ending\./,
    lastWords:
      /^error: The command was ended before it received the response to a token refresh\. .* "webextract token import"\.$/,
    leaves: /^\w{32}\.json(?:\.lock)?$/,
  },
  "token import, reading": {
    line: "token import --yes",
    says: /^error: Interrupted before the end of standard input\. Nothing was done\./,
  },
  "plan-report, reading": {
    line: "plan-report",
    says: /^error: Interrupted before the end of standard input\. Nothing was done\./,
  },
};

/** First those that come alone, then as many in pairs. */
const signals: readonly Signals[] = [
  ["SIGINT"],
  ["SIGTERM"],
  ["SIGHUP"],
  ["SIGQUIT"],
  ["SIGINT", "SIGINT"],
  ["SIGTERM", "SIGTERM"],
  ["SIGHUP", "SIGHUP"],
  ["SIGINT", "SIGHUP"],
];

const codeOf: Partial<Record<NodeJS.Signals, number>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 143, SIGQUIT: 143 };

describe("a command that gets a signal", () => {
  const world = useCliWorld({ behaviour: { readsUntilFinished: 1000 } });

  for (const [at, [name, moment]] of Object.entries(moments).entries()) {
    const possible = signals.filter(({ length }) => length === 1 || moment.lastWords !== undefined);
    // All signals have one handler, so each moment is tried with another one.
    for (const sent of isLarge ? possible : possible.filter((_, index) => index % 4 === at % 4)) {
      it(`${name}: ends after ${sent.join(" and ")}, and says what it leaves`, async () => {
        moment.prepare?.(world);
        const isHeld = moment.held && world.holdAnswer(moment.held);
        const running = world.start(moment.line.split(" "), moment.environment?.(world));
        await (isHeld ?? moment.isReached?.(world) ?? readsInput(running));
        await send(running, sent);
        const isForced = sent.length > 1;
        if (!isForced) {
          world.releaseAnswers();
        }
        const { code, stderr } = await running.ended;
        // An error has several lines.
        const lines = stderr.trim().split("\n");
        const last = lines.slice(lines.findLastIndex((line) => line.startsWith("error: "))).join("\n");
        const own = codeOf[sent.at(-1) ?? "SIGINT"];
        assert.equal(code, (isForced ? 6 : moment.afterOne) ?? own, stderr);
        assert.match(last, (isForced && moment.lastWords) || moment.says);
        assert.doesNotMatch(stderr, /^ +at /m);
        const left = readdirSync(world.folder, { recursive: true, withFileTypes: true }).filter((each) =>
          each.isFile(),
        );
        const unexpected = left.map(({ name: file }) => file).filter((file) => moment.leaves?.test(file) !== true);
        assert.deepEqual(unexpected, []);
      });
    }
  }
});

async function send({ process: { kill }, process, says }: Running, [first, second]: Signals): Promise<void> {
  kill.call(process, first);
  await says(/^Ending\./m);
  if (second !== undefined) {
    kill.call(process, second);
  }
}

/** Resolves when the command has read a part of its standard input. */
async function readsInput({ process: { stdin } }: Running): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    stdin.write(" ".repeat(1_000_000), (error) => (error == null ? resolve() : reject(error)));
  });
}
