import { Refusal } from "../errors";
import type * as described from "../generated/admin";

/** How to set the clock of an emulator. */
export type ClockSetting = described.ClockSetting;

/** The clock of an emulator. */
export interface ClockView extends described.Clock {}

/** The clock at one moment. */
export interface ClockState {
  fixedAt: number | undefined;
  /** Milliseconds. */
  ahead: number;
}

/** After it, batch numbers would have more than 18 digits. */
const latest = Date.UTC(3000, 0, 1) - 1;

/** The time that clients see: lifetimes of tokens, rates, batch numbers, times of the journal. Timeouts and delays take real time. */
export class EmulatorClock {
  private fixedAt: number | undefined;
  private ahead = 0;

  /** Milliseconds since 1970. */
  now(): number {
    return this.fixedAt ?? Math.min(Date.now() + this.ahead, latest);
  }

  get view(): ClockView {
    return { now: new Date(this.now()).toISOString(), mode: this.fixedAt === undefined ? "real" : "fixed" };
  }

  get state(): ClockState {
    return { fixedAt: this.fixedAt, ahead: this.ahead };
  }

  set state({ fixedAt, ahead }: ClockState) {
    this.fixedAt = fixedAt;
    this.ahead = ahead;
  }

  /** @throws Refusal if the time is not from 1970 to 2999. */
  set(setting: ClockSetting): void {
    switch (setting.mode) {
      case "fixed":
        this.fixedAt = setting.at === undefined ? this.now() : checkedTime(Date.parse(setting.at), "at");
        return;
      case "step":
        checkedTime(this.now() + setting.ms, "ms");
        if (this.fixedAt === undefined) this.ahead += setting.ms;
        else this.fixedAt += setting.ms;
        return;
      default:
        this.fixedAt = undefined;
        this.ahead = 0;
    }
  }
}

function checkedTime(time: number, field: string): number {
  if (time >= 0 && time <= latest) return time;
  throw new Refusal("InvalidParameter", `${field} must lead to a time from 1970 to 2999`);
}
