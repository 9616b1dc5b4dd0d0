import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Resource } from "@pulumi/pulumi";

interface Position {
  uri: string;
}

/** Where the call that makes a resource stands, and its callers; undefined for what is Node.js's own. */
type StackTrace = (this: unknown, skip: number) => (Position | undefined)[];

const ownFolder = pathToFileURL(join(__dirname, "..", "/")).href;

/**
 * For the time of the SDK's constructor, until what this answers is called; it notes the stack in two ways.
 *
 * The engine keeps with each resource where it is made, and all callers: the class here that the program calls, and the frames of the SDK and of
 * installed packages, a third of a small resource's state. Of those, only the program's own are left. Private surface: where it is not as
 * expected, the frames stay as they are.
 *
 * With each promise, dozens a resource, the SDK keeps the text of a stack trace, for a report on promises that never end, which few ever ask
 * for. Each frame of it costs a look into a source map, half of the constructor's time in all. One is left.
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

/** Without a frame of the program, as in one that is itself an installed package, those of others are better than none. */
function programFrames(frames: (Position | undefined)[]): (Position | undefined)[] {
  const known = frames.filter((frame) => frame !== undefined && !frame.uri.startsWith(ownFolder));
  const ofProgram = known.filter((frame) => !frame?.uri.includes("/node_modules/"));
  return ofProgram.length > 0 ? ofProgram : known;
}
