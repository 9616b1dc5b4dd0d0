import { unknown } from "../values/plain";

/** The values that replace `${name}`. Nothing else does: the environment is not read. */
export interface Variables {
  readonly values: Readonly<Record<string, unknown>>;
  /** The value of every other name. Absent where no other name is allowed. */
  readonly other?: unknown;
  /** Whether the value is known only later, such as an output of a resource. */
  isLater(value: unknown): boolean;
  /** One string of parts, some of which are known later. */
  join(parts: readonly unknown[]): unknown;
}

/** Those of a check without a program: every name is allowed, and no value is known. */
export const anyVariables: Variables = {
  values: {},
  other: unknown,
  isLater: (value) => value === unknown,
  join: () => unknown,
};

/** A string in its parts: text as it stands, and names of variables. */
export type Part = string | { readonly name: string };

/**
 * Splits a string at its variables. `$${` is a literal `${`. Undefined if something else than the name of a variable is
 * behind a `${`.
 */
export function partsOf(text: string): Part[] | undefined {
  const parts = text.split(/(\$\$\{|\$\{[^}]*\}?)/).flatMap((piece): (Part | undefined)[] => {
    if (!piece.startsWith("${")) {
      return piece === "" ? [] : [piece === "$${" ? "${" : piece];
    }
    const name = /^\$\{([A-Za-z_][\w.-]*)\}$/.exec(piece)?.[1];
    return [name === undefined ? undefined : { name }];
  });
  return parts.includes(undefined) ? undefined : (parts as Part[]);
}
