import { unknown } from "../resources/values";

/** The values that replace `${name}`. Nothing else does: the environment is not read. */
export interface Variables {
  /** Names of the declared variables; undefined if any name is allowed, whose value is then unknown. */
  readonly names: readonly string[] | undefined;
  valueOf(name: string): unknown;
  /** Whether the value is known only later, such as an output of a resource. */
  isLater(value: unknown): boolean;
  /** One string of parts, some of which are known later. */
  join(parts: readonly unknown[]): unknown;
}

/** For a check without a program: every variable is allowed, and no value is known. */
export const anyVariables: Variables = {
  names: undefined,
  valueOf: () => unknown,
  isLater: (value) => value === unknown,
  join: () => unknown,
};

/** A string in its parts: text as it stands, and names of variables. */
export type Part = string | { readonly name: string };

/** What is wrong with a string that has variables. */
export class BadTemplate extends Error {}

/**
 * Splits a string at its variables. `$${` is a literal `${`.
 * @throws BadTemplate
 */
export function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  let literal = "";
  let at = 0;
  for (let next = text.indexOf("${"); next >= 0; next = text.indexOf("${", at)) {
    if (text[next - 1] === "$" && next > at) {
      literal += `${text.slice(at, next - 1)}\${`;
      at = next + 2;
      continue;
    }
    const end = text.indexOf("}", next);
    const name = text.slice(next + 2, end < 0 ? text.length : end);
    if (end < 0 || !/^[A-Za-z_][\w.-]*$/.test(name)) {
      const what = end < 0 ? 'without "}"' : "with something else than the name of a variable";
      throw new BadTemplate(`has \${ ${what}; write $\${ for the characters \${`);
    }
    literal += text.slice(at, next);
    parts.push(...(literal === "" ? [] : [literal]), { name });
    literal = "";
    at = end + 1;
  }
  literal += text.slice(at);
  return literal === "" && parts.length > 0 ? parts : [...parts, literal];
}
