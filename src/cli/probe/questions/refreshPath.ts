import type { Question } from "../finding";
import { seen, setIt, setting, unclear } from "../finding";
import { refreshNothing } from "../requests";

const usual = "/token";
const other = "/token/refresh";
/** No service has it: the response to it is that for an unknown path. */
const noPath = "/webextract-probe-no-path";

export const refreshPath: Question = {
  name: "path of the token refresh",
  how: "a refresh with a refresh token that nobody has issued, at /token, at /token/refresh, at the configured path and at a path that no service has: a path exists if its refusal differs from that of the last. No token is used or changed",
  behaviours: ["refreshPath"],
  async ask({ asker, options }) {
    const check = "path of the token refresh";
    const present = options.refreshPath ?? usual;
    const unknown = await asker.ask(refreshNothing(noPath));
    const found: string[] = [];
    for (const path of new Set([usual, other, present])) {
      const { signature } = await asker.ask(refreshNothing(path));
      if (signature !== unknown.signature) {
        found.push(path);
      }
    }
    const [first] = found;
    if (first === undefined) {
      return [unclear(check, "The service refuses a refresh as it refuses a path that it does not have.")];
    }
    const isBoth = found.includes(usual) && found.includes(other);
    const value = isBoth
      ? "both"
      : found.includes(usual)
        ? "token"
        : found.includes(other)
          ? "tokenRefresh"
          : undefined;
    const behaviours = value === undefined ? [] : [`refreshPath=${value}`];
    const where = found.filter((path) => path === usual || path === other).join(" and ") || "the configured path";
    if (found.includes(present)) {
      return [seen(check, `The service refreshes tokens at ${where}.`, { behaviours })];
    }
    const fitting = setting("refreshPath", first);
    const isNeeded = options.refreshToken !== undefined;
    return [
      seen(check, `The service refreshes tokens at ${where}, and not at the configured path.`, {
        is: isNeeded ? "problem" : "warning",
        remedy: setIt(fitting),
        behaviours,
        settings: [fitting],
      }),
    ];
  },
};
