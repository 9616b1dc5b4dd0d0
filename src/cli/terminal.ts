import type { Readable, Writable } from "node:stream";
import { addAbortSignal } from "node:stream";
import { text } from "node:stream/consumers";
import { styleText } from "node:util";
import type { SingleBar } from "cli-progress";
import type { Share } from "../resources/resource";
import type { TerminalAbilities } from "../service/environment";
import { isStartedByRunner, terminalAbilities } from "../service/environment";
import { shownText } from "../service/errors/foreignText";
import { CliError } from "./exitCodes";

type Style = Parameters<typeof styleText>[0];

/** The parts of a stream of a terminal that matter here. */
type Output = Writable & { isTTY?: boolean; columns?: number; hasColors?: () => boolean };
type Input = Readable & { isTTY?: boolean };

export interface Streams {
  input: Input;
  output: Output;
  errors: Output;
}

/** How often a line about the progress is written where there is no terminal, in milliseconds. */
const lineEveryMs = 10_000;

/**
 * What the user sees. Results go to standard output; all else goes to standard error: progress, warnings, questions and errors. Colours and the
 * progress bar appear on a terminal only. Node.js knows the variables NO_COLOR, FORCE_COLOR and TERM.
 */
export class Terminal {
  /** Nobody takes the result any more. */
  isCutOff = false;
  /** Why standard output failed, such as on a full disk; undefined if its reader has gone, as after `| head`. */
  outputFailure: string | undefined;
  private bar: SingleBar | undefined;
  private shown = "";
  private shownAt = performance.now();

  constructor(
    private readonly streams: Streams,
    private readonly abilities: TerminalAbilities = terminalAbilities(),
  ) {}

  /** Calls `cutOff` when nobody reads standard output any more. A reader of standard error that has gone changes nothing. */
  watch(cutOff: () => void): void {
    const { output, errors } = this.streams;
    output.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") {
        this.outputFailure = error.code ?? error.message;
      }
      this.isCutOff = true;
      cutOff();
    });
    errors.on("error", () => undefined);
  }

  /** The columns of standard output; undefined if it is no terminal. */
  get width(): number | undefined {
    const { isTTY, columns } = this.streams.output;
    return isTTY === true ? columns : undefined;
  }

  /**
   * Writes a part of the result. Resolves when the reader is ready for more.
   * @param content text for people or programs, or the bytes of rows, which are written as they are
   */
  async write(content: string | Uint8Array): Promise<void> {
    const { output } = this.streams;
    if (!this.isCutOff && !output.write(typeof content === "string" ? this.resultText(content) : content)) {
      await new Promise<void>((resume) => {
        const done = (): void => {
          for (const event of ["drain", "error", "close"]) {
            output.off(event, done);
          }
          resume();
        };
        for (const event of ["drain", "error", "close"]) {
          output.once(event, done);
        }
      });
    }
  }

  /** Resolves when everything was handed over, so that the process can end. */
  async flush(): Promise<void> {
    this.endProgress();
    const { output, errors } = this.streams;
    const flushed = (stream: Output): Promise<void> => new Promise((done) => stream.write("", () => done()));
    await Promise.all([this.isCutOff ? undefined : flushed(output), flushed(errors)]);
  }

  /** Colours a part of the result. */
  style(style: Style, text: string): string {
    return styled(this.streams.output, style, text);
  }

  say(message: string): void {
    this.line(message);
  }

  warn(message: string): void {
    this.line(message, ["yellow", "warning:"]);
  }

  fail(message: string): void {
    this.line(message, ["red", "error:"]);
  }

  /** Each message replaces the one before. */
  progress(message: string, share: Share = { done: 0, of: 0 }): void {
    const { errors } = this.streams;
    if (errors.isTTY === true && this.abilities.cursor) {
      this.showBar(shownText(message), share);
    } else if (message !== this.shown && performance.now() - this.shownAt >= lineEveryMs) {
      this.shown = message;
      this.shownAt = performance.now();
      errors.write(`${shownText(message)}\n`);
    }
  }

  endProgress(): void {
    this.bar?.stop();
    this.bar = undefined;
  }

  /**
   * Asks before something is written. True with `--yes`.
   * @throws CliError if there is nobody to ask
   */
  async confirm(question: string, { yes, signal }: { yes: boolean; signal: AbortSignal }): Promise<boolean> {
    if (yes) {
      return true;
    }
    this.requireTerminal(
      `${question} Nobody can answer, because this is no terminal. Nothing was done. Use --yes to answer yes.`,
    );
    const { confirm, isCancel } = await import("@clack/prompts");
    const { input } = this.streams;
    const output = this.promptOutput();
    const answer = await confirm({
      message: shownText(question),
      initialValue: false,
      input,
      output,
      signal,
      withGuide: false,
    });
    if (isCancel(answer)) {
      throw new CliError("Interrupted before the question was answered. Nothing was done.", "interrupted");
    }
    return answer;
  }

  /**
   * The whole of standard input, or of this file. On a terminal, the user is told that the command waits.
   * @throws CliError after Ctrl-C
   */
  async readInput(signal: AbortSignal, file?: Readable): Promise<string> {
    const { input } = this.streams;
    if (file === undefined && input.isTTY === true) {
      this.say("Reading standard input. End it with Ctrl-D.");
    }
    try {
      return await text(addAbortSignal(signal, file ?? input));
    } catch (error) {
      const what = file === undefined ? "standard input" : "the file";
      throw signal.aborted
        ? new CliError(`Interrupted before the end of ${what}. Nothing was done.`, "interrupted")
        : error;
    }
  }

  /** A secret that the user types, or the whole of standard input if that is no terminal. It is not shown. */
  async secret(question: string, signal: AbortSignal): Promise<string> {
    const { input } = this.streams;
    if (input.isTTY !== true) {
      return (await this.readInput(signal)).trim();
    }
    const { password, isCancel } = await import("@clack/prompts");
    const output = this.promptOutput();
    const answer = await password({ message: shownText(question), input, output, signal, withGuide: false });
    if (isCancel(answer)) {
      throw new CliError("Interrupted before the question was answered. Nothing was done.", "interrupted");
    }
    return answer.trim();
  }

  private requireTerminal(otherwise: string): void {
    const { input, errors } = this.streams;
    if (input.isTTY !== true || errors.isTTY !== true) {
      throw new CliError(otherwise, "usage");
    }
  }

  private line(message: string, prefix?: [style: Style, text: string]): void {
    this.endProgress();
    const { errors } = this.streams;
    const before = prefix === undefined ? "" : `${styled(errors, ...prefix)} `;
    errors.write(`${before}${this.inItsLetters(errors, shownText(asStarted(message)))}\n`);
  }

  /** The prompts write their own characters. */
  private promptOutput(): Output {
    const { errors } = this.streams;
    const write = (text: string): boolean => errors.write(this.inItsLetters(errors, text));
    return this.abilities.unicode ? errors : Object.assign(Object.create(errors), { write });
  }

  /** The colours of tables stay: their cells were cleaned before. */
  private resultText(text: string): string {
    const { output } = this.streams;
    const shown =
      output.isTTY === true
        ? text
            .split(ownColours)
            .map((part, index) => (index % 2 === 0 ? shownText(part) : part))
            .join("")
        : shownText(text);
    return this.inItsLetters(output, shown);
  }

  private inItsLetters({ isTTY }: Output, text: string): string {
    return isTTY === true && !this.abilities.unicode ? inAscii(text) : text;
  }

  private showBar(message: string, { done, of }: Share): void {
    if (this.bar === undefined) {
      // biome-ignore lint/style/noCommonJs: loaded with the first progress, because most commands show none.
      const { SingleBar } = require("cli-progress") as typeof import("cli-progress");
      this.bar = new SingleBar({
        stream: this.streams.errors as NodeJS.WriteStream,
        clearOnComplete: true,
        hideCursor: true,
        barsize: 20,
        format: (options, params, payload: { message: string }) => {
          const filled = Math.round(params.progress * (options.barsize ?? 0));
          const bar = `${"█".repeat(filled)}${"░".repeat((options.barsize ?? 0) - filled)}`;
          const line = params.total > 0 ? `${bar} ${payload.message}` : payload.message;
          return this.inItsLetters(this.streams.errors, line);
        },
      });
      this.bar.start(of, done, { message });
    }
    this.bar.setTotal(of);
    this.bar.update(Math.min(done, of), { message });
  }
}

/** Commands in a message, as the user starts them: the program is on the PATH only where it is installed globally. */
export function asStarted(message: string, isByRunner = isStartedByRunner()): string {
  return isByRunner ? message.replaceAll('"webextract ', '"npx webextract ') : message;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what styleText writes
const ownColours = /(\u001b\[\d{1,2}m)/;

function styled({ isTTY, hasColors }: Output, style: Style, text: string): string {
  return isTTY === true && hasColors?.() === true ? styleText(style, text, { validateStream: false }) : text;
}

/** The characters of this program and of the prompts, each with the closest in ASCII. */
const asciiOf: Readonly<Record<string, string>> = {
  ...{ "✔": "+", "✖": "x", "█": "#", "░": "-", "…": "...", "▪": "*" },
  ...{ "◆": "*", "◇": "o", "■": "x", "▲": "!", "●": ">", "○": " ", "│": "|", "└": "-" },
};

function inAscii(text: string): string {
  return text.replace(/[\u2026\u2500-\u27bf]/g, (character) => asciiOf[character] ?? "?");
}
