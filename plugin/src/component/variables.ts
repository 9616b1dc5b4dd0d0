import type { Values } from "../../../src/manifest/documentReader";
import type { Variables } from "../../../src/manifest/variables";
import { holdsUnknown, isPlainMap, unknown } from "../../../src/values/plain";
import type { SecretPaths } from "../wireValues";

/** A value of a variable that is secret, or that this preview does not know, in whole or in part. */
class Later {
  constructor(
    readonly value: unknown,
    readonly isSecret: boolean,
  ) {}
}

/**
 * @param values unknown if this preview does not know the map as a whole
 * @param secrets the marks of the arguments of the component: a variable with a secret part is secret as a whole
 */
export function variablesOf(values: Values | typeof unknown, secrets: SecretPaths): Variables {
  const isSecret = (name: string): boolean => secrets.some(([, each]) => each === undefined || each === name);
  const later = { isLater: (value: unknown) => value instanceof Later, join };
  if (values === unknown) {
    return { values: {}, other: new Later(unknown, false), ...later };
  }
  const given = Object.entries(values).map(([name, value]) => {
    const isLater = isSecret(name) || holdsUnknown(value);
    return [name, isLater ? new Later(value, isSecret(name)) : value];
  });
  return { values: Object.fromEntries(given), ...later };
}

function join(parts: readonly unknown[]): Later {
  const values = parts.map((part) => (part instanceof Later ? part.value : part));
  const isSecret = parts.some((part) => part instanceof Later && part.isSecret);
  return new Later(values.some(holdsUnknown) ? unknown : values.join(""), isSecret);
}

/**
 * Arguments with the values of the variables, and where they are secret. A list with a secret item is secret as a
 * whole.
 */
export function withoutVariables(args: Values): { values: Values; secrets: SecretPaths } {
  const secrets: string[][] = [];
  return { values: plain(args, [], secrets) as Values, secrets };
}

function plain(value: unknown, path: string[], secrets: string[][]): unknown {
  if (value instanceof Later) {
    if (value.isSecret) {
      secrets.push(path);
    }
    return value.value;
  }
  if (Array.isArray(value)) {
    const within: string[][] = [];
    const items = value.map((item) => plain(item, path, within));
    secrets.push(...within.slice(0, 1));
    return items;
  }
  return isPlainMap(value)
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each, [...path, name], secrets)]))
    : value;
}
