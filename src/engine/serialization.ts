import { providerKey } from "../resources/urn";
import { replaceEach, unknown } from "../resources/values";

/**
 * The form of properties that both kinds of providers share: the string that stands for an unknown value, and whole characters. For dynamic providers, also
 * the properties that are not arguments.
 */

/** Stands for an unknown value in a preview, at any depth. */
export const unknownText = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** The problems of the program's other resources. Sent with the arguments of a resource that the program finds invalid. Never in the state. */
export const otherProblemsKey = "__otherProblems";

/** The names of resources that have failed, and whose outputs this one lacks. Never in the state. */
export const failedInputsKey = "__failedInputs";

export type Properties = Record<string, unknown>;

const ownKeys = [providerKey, otherProblemsKey, failedInputsKey];

/** Properties as resources see them: without the provider text, the problems of others and null values, with `unknown` for unknown values. */
export function deserialize(properties: Properties): Properties {
  const entries = Object.entries(properties).filter(([name, value]) => !ownKeys.includes(name) && value !== null);
  const known = Object.fromEntries(entries);
  return replaceEach(known, (value) => value === unknownText, unknown) as Properties;
}

/**
 * Properties in the engine's form. An undefined value at any depth, or half of a surrogate pair that a service has sent, would make the step fail after
 * the remote object exists.
 */
export function serialize(properties: object): Properties {
  const json = JSON.stringify(replaceEach(properties, (value) => value === unknown, unknownText));
  return JSON.parse(json.replace(halfOfPair, (found) => (found === escapedBackslash ? found : "\ufffd")));
}

/** JSON has an escape for half of a surrogate pair only, and for a backslash, which could stand before the same letters. */
const halfOfPair = /\\\\|\\ud[89a-f][0-9a-f]{2}/g;

const escapedBackslash = "\\\\";
