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
 * From here to the SDK's next resource, which is the one that is being constructed: its place in the program is that of the program's own line, not
 * that of the class here which the line calls. The engine keeps the place and all callers with each resource, and the frames of the SDK and of
 * installed packages were a third of a small resource's state. Private surface: where it is not as expected, the frames stay as they are.
 *
 * To be wrapped around the last argument for the SDK's constructor, which it answers as it is: nothing can come before that constructor.
 */
export function placedInProgram<T>(argument: T): T {
  const owner = Resource as unknown as { stackTrace?: StackTrace };
  const original = owner.stackTrace;
  if (typeof original === "function") {
    owner.stackTrace = function (skip) {
      owner.stackTrace = original;
      // One more, for this function.
      return programFrames(original.call(this, skip + 1));
    };
  }
  return argument;
}

/** Without a frame of the program, as in one that is itself an installed package, those of others are better than none. */
function programFrames(frames: (Position | undefined)[]): (Position | undefined)[] {
  const known = frames.filter((frame) => frame !== undefined && !frame.uri.startsWith(ownFolder));
  const ofProgram = known.filter((frame) => !frame?.uri.includes("/node_modules/"));
  return ofProgram.length > 0 ? ofProgram : known;
}
