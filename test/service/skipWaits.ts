import sinon from "sinon";
import type { Cancel } from "../internals/service";
import { clock } from "../internals/service";

/** Ends each wait of the client at once, and advances the client's clock by the length of the wait. */
export interface SkippedWaits {
  /** Milliseconds of each wait that was skipped. */
  waits: number[];
  restore(): void;
}

interface Timer {
  at: number;
  milliseconds: number;
  fire(): void;
}

/**
 * Replaces the clock of the client. Waits end in the order of their due times. A deadline fires when a skipped wait passes it. `Date.now()`
 * advances too, because an emulator in this process counts its requests per second with it. All other timers keep their real time: those
 * of servers, sockets and libraries.
 */
export function skipWaits(): SkippedWaits {
  const box = sinon.createSandbox();
  const waits: number[] = [];
  const pending: Timer[] = [];
  const deadlines: Timer[] = [];
  const realNow = clock.now;
  const realDeadline = clock.deadline;
  const realDate = Date.now;
  let skipped = 0;

  const now = (): number => realNow() + skipped;
  const add = (list: Timer[], milliseconds: number, fire: () => void): Cancel => {
    const timer = { at: now() + milliseconds, milliseconds, fire };
    list.push(timer);
    return () => remove(list, timer);
  };
  const endFirst = (): void => {
    const wait = firstOf(pending);
    if (wait === undefined) return;
    skipped += Math.max(0, wait.at - now());
    for (let due = firstOf(deadlines); due !== undefined && due.at < wait.at; due = firstOf(deadlines)) {
      remove(deadlines, due);
      due.fire();
    }
    // A deadline may have cancelled it.
    if (remove(pending, wait)) {
      waits.push(wait.milliseconds);
      wait.fire();
    }
  };

  box.replace(clock, "now", now);
  box.replace(Date, "now", () => realDate() + Math.round(skipped));
  box.replace(clock, "wait", (milliseconds: number, done: () => void) => {
    setTimeout(endFirst, 0);
    return add(pending, milliseconds, done);
  });
  box.replace(clock, "deadline", (milliseconds: number, strike: () => void) => {
    const cancels = [realDeadline(milliseconds, strike), add(deadlines, milliseconds, strike)];
    return () => {
      for (const cancel of cancels) cancel();
    };
  });
  return { waits, restore: () => box.restore() };
}

function firstOf(timers: readonly Timer[]): Timer | undefined {
  return timers.reduce<Timer | undefined>((first, timer) => (first && first.at <= timer.at ? first : timer), undefined);
}

function remove(timers: Timer[], timer: Timer): boolean {
  const place = timers.indexOf(timer);
  if (place >= 0) timers.splice(place, 1);
  return place >= 0;
}
