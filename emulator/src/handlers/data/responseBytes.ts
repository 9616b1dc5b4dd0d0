import type { Behaviour } from "../../behaviour";
import { Refusal } from "../../errors";

const smallResponse = 4 * 1024 * 1024;
const largeResponse = 8 * 1024 * 1024;

/** The rows that fit into one response according to the behaviour `responseBytes`. `asked` is the requested page size. */
export function cutToBytes(texts: string[], asked: number, { responseBytes }: Behaviour): string[] {
  if (responseBytes === "unlimited") return texts;
  const limit = asked <= 200 ? smallResponse : largeResponse;
  let bytes = 0;
  const fitting = texts.findIndex((text) => {
    bytes += Buffer.byteLength(text) + 1;
    return bytes > limit;
  });
  if (fitting < 0) return texts;
  if (responseBytes === "refused")
    throw new Refusal("InvalidParameter", `the response would be larger than ${limit} bytes: request fewer rows`);
  // A row that is too large is sent alone, because a client could not read past it otherwise.
  return texts.slice(0, Math.max(fitting, 1));
}
