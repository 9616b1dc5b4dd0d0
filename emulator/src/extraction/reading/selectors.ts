import { messageOf } from "../../errors";

/** @throws Error that names the property and the selector, if the selector cannot be parsed. */
export function select<T>(property: string, selector: string, find: (selector: string) => T): T {
  try {
    return find(selector);
  } catch (error) {
    throw new Error(`${property}: ${JSON.stringify(selector)} cannot be used as a selector: ${messageOf(error)}`);
  }
}
