import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Resource } from "@pulumi/pulumi";

interface Position {
  uri: string;
}

/** The position of the call that makes a resource, and its callers; undefined for frames of Node.js. */
type StackTrace = (this: unknown, skip: number) => (Position | undefined)[];

const ownFolder = pathToFileURL(join(__dirname, "..", "/")).href;

/**
 * Shortens the two kinds of stack traces that the SDK takes in the constructor of a resource, until the returned
 * function is called.
 *
 * The engine keeps the position and all callers of each resource: frames of this package, of the SDK and of installed
 * packages take a third of the state of a small resource. Only the frames of the program are kept. Private part of the
 * SDK: if it is not as expected, the frames stay as they are.
 *
 * The SDK also keeps a stack trace with each promise, dozens for each resource, for a report on promises that never
 * end. Each frame needs a lookup in a source map, and all of them half of the time of the constructor. One frame is
 * kept.
 */
export function fewerFrames(): () => void {
  const owner = Resource as unknown as { stackTrace?: StackTrace };
  const { stackTrace } = owner;
  const { stackTraceLimit } = Error;
  if (typeof stackTrace === "function") {
    owner.stackTrace = function (skip) {
      // One more, for this function.
      return programFrames(stackTrace.call(this, skip + 1));
    };
  }
  Error.stackTraceLimit = 1;
  return () => {
    Object.assign(owner, { stackTrace });
    Error.stackTraceLimit = stackTraceLimit;
  };
}

/**
 * A program that is itself an installed package has no frames of its own. Then the frames of other packages are kept.
 */
function programFrames(frames: (Position | undefined)[]): (Position | undefined)[] {
  const known = frames.filter((frame) => frame !== undefined && !frame.uri.startsWith(ownFolder));
  const ofProgram = known.filter((frame) => !frame?.uri.includes("/node_modules/"));
  return ofProgram.length > 0 ? ofProgram : known;
}
