import type { Behaviour } from "../../behaviour";
import { Refusal } from "../../errors";

const smallAnswer = 4 * 1024 * 1024;
const largeAnswer = 8 * 1024 * 1024;

/** The rows that fit into one answer, as the behaviour `answerBytes` says. `asked` is the page size of the request. */
export function cutToBytes(texts: string[], asked: number, { answerBytes }: Behaviour): string[] {
  if (answerBytes === "unlimited") return texts;
  const limit = asked <= 200 ? smallAnswer : largeAnswer;
  let bytes = 0;
  const fitting = texts.findIndex((text) => {
    bytes += Buffer.byteLength(text) + 1;
    return bytes > limit;
  });
  if (fitting < 0) return texts;
  if (answerBytes === "refused")
    throw new Refusal("InvalidParameter", `the answer would be over ${limit} bytes: ask for fewer rows`);
  // A row that does not fit alone is sent alone, or nobody could ever read past it.
  return texts.slice(0, Math.max(fitting, 1));
}
