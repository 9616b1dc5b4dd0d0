import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { addAbortSignal } from "node:stream";
import { buffer } from "node:stream/consumers";
import { styleText } from "node:util";
import widthOf from "fast-string-width";
import { isStartedByRunner } from "../../src/service/environment";
import { shownText } from "../../src/service/errors/foreignText";
import { CliError } from "./exitCodes";

/** The parts of a stream of a terminal that matter here. */
type Output = Writable & { isTTY?: boolean; columns?: number; hasColors?: () => boolean };
type Input = Readable & { isTTY?: boolean };

export interface Streams {
  input: Input;
  output: Output;
  errors: Output;
}

/** Back to the beginning of the line, which is deleted. */
const lineDeleted = "\r\u001b[K";

/** Milliseconds between two lines about the progress where there is no terminal. */
const lineEveryMs = 10_000;

/**
 * What the user sees. Results go to standard output; all else goes to standard error: progress, warnings, questions and
 * errors. Only a terminal shows colours and a line that changes. Node.js knows the variables NO_COLOR, FORCE_COLOR and
 * TERM.
 */
export class Terminal {
  /** Nobody takes the result any more. */
  isCutOff = false;
  /** Why standard output failed, such as on a full disk; undefined if its reader has gone, as after `| head`. */
  outputFailure: string | undefined;
  private hasProgress = false;
  private logged = "";
  private loggedAt = performance.now();

  constructor(private readonly streams: Streams) {}

  /**
   * Calls `cutOff` when nobody reads standard output any more. A reader of standard error that has gone changes
   * nothing.
   */
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
    if (!this.isCutOff && !output.write(typeof content === "string" ? shownText(content) : content)) {
      // `watch` notes a failure.
      await once(output, "drain").catch(() => undefined);
    }
  }

  /** Resolves when everything was handed over, so that the process can end. */
  async flush(): Promise<void> {
    this.endProgress();
    const { output, errors } = this.streams;
    const flushed = (stream: Output): Promise<void> => new Promise((done) => stream.write("", () => done()));
    await Promise.all([this.isCutOff ? undefined : flushed(output), flushed(errors)]);
  }

  say(message: string, before = ""): void {
    this.endProgress();
    this.streams.errors.write(`${before}${shownText(asStarted(message))}\n`);
  }

  warn(message: string): void {
    this.say(message, `${this.styled("yellow", "warning:")} `);
  }

  fail(message: string): void {
    this.say(message, `${this.styled("red", "error:")} `);
  }

  /**
   * On a terminal, each message replaces the one before. In a log, such as that of a CI job, a message that has changed
   * is a line. A terminal without colours, such as TERM=dumb, may not be able to delete a line.
   */
  progress(message: string): void {
    const { errors } = this.streams;
    if (this.isColoured) {
      const line = shownText(message).replace(/\s/g, " ");
      errors.write(`${lineDeleted}${fitting(line, (errors.columns ?? 80) - 1)}`);
      this.hasProgress = true;
    } else if (message !== this.logged && performance.now() - this.loggedAt >= lineEveryMs) {
      this.logged = message;
      this.loggedAt = performance.now();
      errors.write(`${shownText(message)}\n`);
    }
  }

  endProgress(): void {
    if (this.hasProgress) {
      this.streams.errors.write(lineDeleted);
      this.hasProgress = false;
    }
  }

  /**
   * Asks a question, which Enter answers with no.
   * @throws CliError if there is nobody to ask
   */
  async confirm(question: string, signal: AbortSignal): Promise<boolean> {
    const { input, errors: output } = this.streams;
    if (input.isTTY !== true || output.isTTY !== true) {
      throw new CliError(
        `${question} Nobody can answer, because this is no terminal. Nothing was done. Use --yes to answer yes.`,
        "usage",
      );
    }
    const { confirm } = await prompts();
    const message = shownText(question);
    return this.answer<boolean>(
      await confirm({ message, initialValue: false, input, output, signal, withGuide: false }),
    );
  }

  /**
   * The whole of standard input. On a terminal, the user is told that the command waits.
   * @throws CliError after Ctrl-C
   */
  async readInput(signal: AbortSignal): Promise<string> {
    const { input } = this.streams;
    if (input.isTTY === true) {
      this.say("Reading standard input. End it with Ctrl-D.");
    }
    try {
      return textOf(await buffer(addAbortSignal(signal, input)));
    } catch (error) {
      throw signal.aborted
        ? new CliError("Interrupted before the end of standard input. Nothing was done.", "interrupted")
        : error;
    }
  }

  /** A secret that the user types, or the whole of standard input if that is no terminal. It is not shown. */
  async secret(question: string, signal: AbortSignal): Promise<string> {
    const { input, errors: output } = this.streams;
    if (input.isTTY !== true) {
      return (await this.readInput(signal)).trim();
    }
    const { password } = await prompts();
    const message = shownText(question);
    return this.answer<string>(await password({ message, input, output, signal, withGuide: false })).trim();
  }

  /** @param given a symbol after Ctrl-C or Ctrl-D */
  private answer<Answer>(given: Answer | symbol): Answer {
    if (typeof given === "symbol") {
      throw new CliError("Interrupted before the question was answered. Nothing was done.", "interrupted");
    }
    return given;
  }

  private get isColoured(): boolean {
    const { errors } = this.streams;
    return errors.isTTY === true && errors.hasColors?.() === true;
  }

  private styled(style: "yellow" | "red", text: string): string {
    return this.isColoured ? styleText(style, text, { validateStream: false }) : text;
  }
}

/** Text of a user, without its byte order mark. PowerShell writes UTF-16, and so do spreadsheets. */
export function textOf(bytes: Buffer): string {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}

/**
 * Without this, Ctrl-D ends the input and answers nothing: the process would have nothing to wait for, and end with
 * exit code 0.
 */
async function prompts() {
  const found = await import("@clack/prompts");
  found.updateSettings({ aliases: { [ctrlD]: "cancel" } });
  return found;
}

const ctrlD = "\u0004";

/** Commands in a message, as the user starts them: the program is on the PATH only where it is installed globally. */
export function asStarted(message: string, isByRunner = isStartedByRunner()): string {
  return isByRunner ? message.replaceAll('"webextract ', '"npx webextract ') : message;
}

/** Cuts a text to a number of columns. A cut text ends with `ending`, which counts. */
export function fitting(text: string, columns: number, ending = ""): string {
  if (widthOf(text) <= columns) {
    return text;
  }
  // Made only here, because the first one takes 10 ms.
  const characters = new Intl.Segmenter("en", { granularity: "grapheme" });
  let left = columns - widthOf(ending);
  let end = 0;
  for (const { segment } of characters.segment(text)) {
    left -= widthOf(segment);
    if (left < 0) {
      break;
    }
    end += segment.length;
  }
  return text.slice(0, end) + ending;
}
