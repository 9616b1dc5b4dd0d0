import { InvalidArgumentError } from "commander";

/** Collects names of these. */
export function namesOf(all: readonly { name: string }[]): (name: string, before?: readonly string[]) => string[] {
  const names = all.map(({ name }) => name);
  return (name, before = []) => {
    if (!names.includes(name)) {
      throw new InvalidArgumentError(`Allowed: ${names.join(", ")}.`);
    }
    return [...before, name];
  };
}

/** Positive integers with commas between them, in ascending order. */
export function numbers(text: string): number[] {
  return text
    .split(",")
    .map(number)
    .sort((one, other) => one - other);
}

/** A positive integer. */
export function number(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) {
    throw new InvalidArgumentError("Allowed: integers from 1 to 99999; in a list, with commas between them.");
  }
  return Number(text);
}
