import { replaceEach, unknown } from "../resources/values";

/**
 * The dynamic provider protocol's own forms, so that nothing behind this file meets them: the text that stands for an unknown value, and
 * the provider's text, which travels as a property.
 */

/** What an unknown value looks like in a preview, at any depth. */
const unknownText = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

export const providerKey = "__provider";

export type Properties = Record<string, unknown>;

/** Properties as the resources see them: no provider text, nothing that is not there, `unknown` where a preview doesn't know. */
export function deserialize(properties: Properties): Properties {
  const entries = Object.entries(properties).filter(([name, value]) => name !== providerKey && value !== null);
  const known = Object.fromEntries(entries);
  return replaceEach(known, (value) => value === unknownText, unknown) as Properties;
}

/** Properties as the engine takes them: an undefined anywhere would fail the step after the remote object exists. */
export function serialize(properties: object): Properties {
  return JSON.parse(JSON.stringify(replaceEach(properties, (value) => value === unknown, unknownText)));
}
