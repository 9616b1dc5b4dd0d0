import { isRecord } from "../../values/plain";

/** What some services have in `error` of each success, as a string or as a code. */
const wordsOfSuccess = ["success", "ok", "none", "empty", "0", ""];

/** Whether an `error` in a response with 200 names none. Absent, it names nothing. */
export function saysSuccess(error: unknown): boolean {
  const word = isRecord(error) ? error.code : error;
  return (typeof word === "string" || typeof word === "number") && wordsOfSuccess.includes(plain(String(word)));
}

/** A code without what services write differently in it. */
export function plain(code: string): string {
  return code.toLowerCase().replace(/[^a-z0-9]/g, "");
}
