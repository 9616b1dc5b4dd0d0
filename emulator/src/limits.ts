import { shown } from "./errors";

/** Allowed values of options that are integers, of {@link EmulatorOptions} and of the command line. A longer timer of Node.js would end at once. */
const limits = {
  port: { least: 0, most: 65_535 },
  latencyMs: { least: 0, most: 600_000 },
  pageTimeoutMs: { least: 1, most: 3_600_000 },
  pageMemoryMb: { least: 1, most: 65_536 },
} as const;

/** Name of an option with limits. */
export type LimitedOption = keyof typeof limits;

/** The allowed values, for messages. */
export function allowedIntegers(name: LimitedOption): string {
  const { least, most } = limits[name];
  return `an integer from ${least} to ${most}`;
}

export function isWithinLimits(name: LimitedOption, value: unknown): boolean {
  const { least, most } = limits[name];
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most;
}

/** @throws Error that names the option and the allowed values. */
export function checkLimits(options: { [Name in LimitedOption]?: number | undefined }): void {
  for (const name of Object.keys(limits) as LimitedOption[]) {
    const value: unknown = options[name];
    if (value === undefined || isWithinLimits(name, value)) continue;
    throw new Error(`option ${name} cannot be ${shown(value)}; allowed: ${allowedIntegers(name)}`);
  }
}
