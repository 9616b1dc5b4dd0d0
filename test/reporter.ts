import { relative } from "node:path";
import type { MochaOptions, Suite, Test } from "mocha";
import { Runner, reporters } from "mocha";

/** What a run of mocha tells the process that started it (scripts/test.ts), which adds up several of them. */
export interface TestCounts {
  passed: number;
  failed: number;
  skipped: number;
  /** A line for each failure: what failed, why, and its file. */
  failures: readonly string[];
  /** The run has come to its end, as against: it crashed. */
  ended: boolean;
}

const { EVENT_RUN_END, EVENT_SUITE_BEGIN, EVENT_SUITE_END, EVENT_TEST_FAIL, EVENT_TEST_PASS, EVENT_TEST_PENDING } =
  Runner.constants;

/** The closing line of every test run. */
export function summaryOf({ passed, failed, skipped }: Pick<TestCounts, "passed" | "failed" | "skipped">): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

/** One line for each outermost `describe` with its file, each failure at once and again with its stack at the end, and the summary as the last line. */
export default class Reporter extends reporters.Base {
  private readonly counts: TestCounts = { passed: 0, failed: 0, skipped: 0, failures: [], ended: false };
  private readonly broken: Test[] = [];
  private before = { ...this.counts };
  /** How many `describe`s are open. With --parallel a suite does not know its parents, but files do not mix. */
  private depth = 0;
  /** Time that the tests of the outermost `describe` took. With --parallel the clock says nothing: a file is told when it is done. */
  private milliseconds = 0;
  /** The file of the outermost `describe`. With --parallel only its tests know it. */
  private file = "";

  constructor(runner: Runner, options: MochaOptions) {
    super(runner, options);
    runner.on(EVENT_SUITE_BEGIN, (suite) => this.begin(suite));
    runner.on(EVENT_SUITE_END, (suite) => this.endOf(suite));
    runner.on(EVENT_TEST_PASS, (test) => {
      this.file = fileOf(test) ?? this.file;
      this.milliseconds += test.duration ?? 0;
      this.count("passed");
    });
    runner.on(EVENT_TEST_PENDING, () => this.count("skipped"));
    runner.on(EVENT_TEST_FAIL, (test: Test, error: Error) => this.fail(test, error));
    runner.once(EVENT_RUN_END, () => this.finish());
  }

  private begin(suite: Suite): void {
    this.depth += suite.root ? 0 : 1;
    if (!suite.root && this.depth === 1) {
      this.before = { ...this.counts };
      this.milliseconds = 0;
      this.file = fileOf(suite) ?? "";
    }
  }

  private endOf(suite: Suite): void {
    if (!suite.root && this.depth === 1) {
      const { passed, failed, skipped } = this.counts;
      const here = {
        passed: passed - this.before.passed,
        failed: failed - this.before.failed,
        skipped: skipped - this.before.skipped,
      };
      const seconds = (this.milliseconds / 1000).toFixed(1);
      say(`${here.failed === 0 ? "✔" : "✖"} ${suite.title}: ${summaryOf(here)} (${seconds} s) ${this.file}`.trimEnd());
    }
    this.depth -= suite.root ? 0 : 1;
  }

  private count(what: "passed" | "failed" | "skipped"): void {
    this.counts[what] += 1;
    this.tell();
  }

  private fail(test: Test, error: Error): void {
    // mocha's own list reads the error from the test.
    test.err = error;
    this.broken.push(test);
    this.milliseconds += test.duration ?? 0;
    this.file = fileOf(test) ?? this.file;
    const line = `✖ ${test.fullTitle()}: ${firstLineOf(error)}`;
    say(line);
    this.counts.failures = [...this.counts.failures, `${line} ${this.file}`.trimEnd()];
    this.count("failed");
  }

  private finish(): void {
    if (this.broken.length > 0) {
      reporters.Base.list(this.broken);
    }
    this.counts.ended = true;
    if (process.send === undefined) {
      say(summaryOf(this.counts));
    }
    this.tell();
  }

  private tell(): void {
    process.send?.(this.counts);
  }
}

/** From the folder in which the tests run. */
function fileOf({ file }: { file?: string }): string | undefined {
  return file === undefined ? undefined : relative(process.cwd(), file);
}

/** The first line that says something. */
function firstLineOf(error: unknown): string {
  const text = error instanceof Error || hasMessage(error) ? error.message : String(error);
  return text.split("\n").find((line) => line.trim() !== "") ?? "";
}

/** Errors of another process arrive as plain objects. */
function hasMessage(error: unknown): error is { message: string } {
  return typeof error === "object" && error !== null && "message" in error && typeof error.message === "string";
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
