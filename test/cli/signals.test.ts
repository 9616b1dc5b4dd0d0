import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import type { Running } from "./webextract";
import { CliWorld } from "./webextract";

type Signals = readonly NodeJS.Signals[];

/** A moment of a command: the answer to this operation is held while the signals come. */
interface Moment {
  line: string;
  operation: Parameters<CliWorld["emulator"]["hold"]>[0]["operation"];
  /** The exit code after one signal, if it is not that of the signal. The held answer then arrives. */
  afterOne?: number;
  /** The last line after one signal. */
  says: RegExp;
  /** What the last line says after two signals. Absent if the first one ends the command at once. */
  lastWords?: RegExp;
}

const moments: Record<string, Moment> = {
  "run, reading": {
    line: "run shop-1 --yes",
    operation: "getSubtasks",
    says: /interrupted before it started a run of task "shop-1"\. Nothing was started/,
  },
  "run, starting": {
    line: "run shop-1 --yes",
    operation: "startTask",
    says: /The wait for run \d+ of task "shop-1" was interrupted/,
    lastWords: /^error: A paid run of task "shop-1" may have started: .* run "webextract run shop-1 --lot-no LOTNO"/,
  },
  "run --no-wait, starting": {
    line: "run shop-1 --yes --no-wait",
    operation: "startTask",
    afterOne: 0,
    says: /Run \d+ of task "shop-1" has started/,
    lastWords: /^error: A paid run of task "shop-1" may have started: /,
  },
  "run --lot-no, waiting": {
    line: "run shop-1 --lot-no 1",
    operation: "getSubtasks",
    says: /The wait for run 1 of task "shop-1" was interrupted/,
  },
  "stop, reading": { line: "stop shop-1 --yes", operation: "getSubtasks", says: /^error: / },
  "status, reading": { line: "status shop-1", operation: "getSubtasks", says: /^error: / },
  "rows, reading": { line: "rows shop-1", operation: "getData", says: /^error: / },
  "adopt, reading": { line: "adopt shop-1 --out tasks", operation: "getActions", says: /^error: / },
  "probe, reading": { line: "probe --task shop-1", operation: "getSubtasks", says: /^error: / },
  "export, reading its only page": {
    line: "export shop-1 --out rows.json",
    operation: "getData",
    afterOne: 0,
    says: /^Interrupted\./,
  },
};

const signals: readonly Signals[] = [
  ["SIGINT"],
  ["SIGTERM"],
  ["SIGHUP"],
  ["SIGINT", "SIGINT"],
  ["SIGTERM", "SIGTERM"],
  ["SIGHUP", "SIGHUP"],
  ["SIGINT", "SIGHUP"],
];

const codeOf: Partial<Record<NodeJS.Signals, number>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 143 };

describe("a command that gets a signal", () => {
  let world: CliWorld;
  beforeEach(async () => {
    world = await CliWorld.create({ behaviour: { readsUntilFinished: 1000 } });
  });
  afterEach(() => world.remove());

  for (const [name, moment] of Object.entries(moments)) {
    for (const sent of signals.filter(({ length }) => length === 1 || moment.lastWords !== undefined)) {
      it(`${name}: ends after ${sent.join(" and ")}, and says what it leaves`, async () => {
        const isWaiting = world.holdAnswer({ operation: moment.operation });
        const running = world.start(moment.line.split(" "));
        await isWaiting;
        await send(running, sent);
        const isForced = sent.length > 1;
        if (!isForced) {
          world.releaseAnswers();
        }
        const { code, stderr } = await running.ended;
        const last = stderr.trim().split("\n").at(-1) ?? "";
        const own = codeOf[sent.at(-1) ?? "SIGINT"];
        assert.equal(code, (isForced ? 6 : moment.afterOne) ?? own, stderr);
        assert.match(last, (isForced && moment.lastWords) || moment.says);
        assert.doesNotMatch(stderr, /^ +at /m);
        const left = readdirSync(world.folder, { recursive: true }).map(String);
        assert.deepEqual(
          left.filter((file) => /lock|partial|\.tmp$/.test(file)),
          [],
        );
      });
    }
  }
});

async function send({ process: { kill }, process, says }: Running, [first, second]: Signals): Promise<void> {
  kill.call(process, first);
  await says(/^Interrupted\./m);
  if (second !== undefined) {
    kill.call(process, second);
  }
}
