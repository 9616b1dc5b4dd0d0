/**
 * The provider host returns an error of check, diff, read or delete to the engine, and also prints it. The engine shows the returned error
 * under the resource and the printed line under the stack. Private part of the SDK: if the host prints another line, the line stays.
 */

/** Several resources can share one request, and then their errors are the same line. So each line can be dropped more than once. */
const expected = new Set<string>();
let isWatching = false;

/** Drops the lines that the host prints for this error. Call it when the error goes to the host. */
export function dropEchoOf(error: Error): void {
  watch();
  expected.add(`${error}: ${error.stack}`);
}

function watch(): void {
  if (isWatching) {
    return;
  }
  isWatching = true;
  const print = console.error;
  console.error = (...args: unknown[]): void => {
    const [line] = args;
    if (args.length !== 1 || typeof line !== "string" || !expected.has(line)) {
      print.apply(console, args);
    }
  };
}
