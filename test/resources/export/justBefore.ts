import { KillableProcess } from "../killing";

/** Runs something just before the nth request to a path. `restore` ends it. */
export function justBefore(path: string, nth: number, happens: () => void): KillableProcess {
  let seen = 0;
  return new KillableProcess({
    onRequest(asked) {
      if (asked === path && ++seen === nth) {
        happens();
      }
      return "answered";
    },
  });
}
