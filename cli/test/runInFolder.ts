import { PassThrough, Writable } from "node:stream";
import { setEnvironment } from "../../test/environment";
import { commandLine } from "./internals/cli";

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
  /** Standard output as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: the tests assert its parts.
  json(): any;
}

interface Where {
  folder: string;
  environment: Readonly<Record<string, string | undefined>>;
  input: string | Buffer;
}

/** The folder and the environment belong to the whole process: one command after the other. */
let last: Promise<unknown> = Promise.resolve();

/** Runs the command line in this process as if it were a process in a folder, with an environment of its own. */
export function runInFolder(args: readonly string[], where: Where): Promise<Ended> {
  const run = last.then(() => runAlone(args, where));
  last = run.catch(() => undefined);
  return run;
}

async function runAlone(args: readonly string[], { folder, environment, input }: Where): Promise<Ended> {
  const before = { folder: process.cwd(), script: process.argv[1] ?? "" };
  const [output, errors] = [new Written(), new Written()];
  process.chdir(folder);
  const others = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]));
  const restore = setEnvironment({ ...others, ...environment });
  process.argv[1] = "webextract";
  try {
    const ending = { controller: new AbortController(), listen: () => undefined };
    const code = await commandLine(args, { input: new PassThrough().end(input), output, errors }, ending);
    const [stdout, stderr] = [output.text, errors.text];
    return { code, stdout, stderr, json: () => JSON.parse(stdout) };
  } finally {
    process.argv[1] = before.script;
    restore();
    process.chdir(before.folder);
  }
}

class Written extends Writable {
  private readonly pieces: Buffer[] = [];

  override _write(piece: Buffer, _encoding: string, done: () => void): void {
    this.pieces.push(piece);
    done();
  }

  get text(): string {
    return Buffer.concat(this.pieces).toString("utf8");
  }
}
