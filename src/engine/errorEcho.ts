/**
 * The provider host returns an error of check, diff, read or delete to the engine, and also prints it with its stack.
 * The engine shows the returned error under the resource and the printed line under the stack. So errors of the
 * provider have this text in place of a stack, and such lines are dropped. Private part of the SDK: if the host prints
 * another line, the line stays.
 */
export const inPlaceOfStack = "shown at its resource";

export function dropEchoes(): void {
  const print = console.error;
  console.error = (...args: unknown[]): void => {
    if (!String(args[0]).endsWith(`: ${inPlaceOfStack}`)) {
      print.apply(console, args);
    }
  };
}
