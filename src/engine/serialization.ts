import { isUnknownText, kindKey, unknownText } from "../values/engineValues";
import { replaceEach, unknown } from "../values/plain";
import { providerKey } from "../values/stateContract";

/**
 * The form of properties that both kinds of providers share: unknown values, and what the engine can keep. For dynamic
 * providers, also the properties that are not arguments.
 */

/**
 * The problems of the program's other resources. Sent with the arguments of a resource that the program finds invalid.
 * Never in the state.
 */
export const otherProblemsKey = "__otherProblems";

/** The names of resources that have failed, and whose outputs this one lacks. Never in the state. */
export const failedInputsKey = "__failedInputs";

/** The task and the profile that the program gives. Other ones were changed by a transform. Never in the state. */
export const declaredKey = "__declared";

export type Properties = Record<string, unknown>;

const ownKeys = [providerKey, otherProblemsKey, failedInputsKey, declaredKey];

/**
 * Properties as resources see them: without the provider text, the properties for the provider and null values, with `unknown`
 * for unknown values.
 */
export function deserialize(properties: Properties): Properties {
  const entries = Object.entries(properties).filter(([name, value]) => !ownKeys.includes(name) && value !== null);
  const known = Object.fromEntries(entries);
  return replaceEach(known, (value) => value === unknownText, unknown) as Properties;
}

/**
 * Properties in the engine's form. What a service has sent and the engine cannot keep would make the step fail after
 * the remote object exists: an undefined value, half of a surrogate pair, or what the engine takes for a value of its
 * own, even for a file of this machine.
 */
export function serialize(properties: object): Properties {
  const foreign = replaceEach(properties, isUnknownText, replacement);
  const json = JSON.stringify(replaceEach(foreign, (value) => value === unknown, unknownText));
  return JSON.parse(json.replace(escapeOrKind, keepable));
}

const replacement = "\ufffd";

/**
 * A part of JSON. Only half of a surrogate pair has an escape that begins with `\ud`. Other escapes are found so that
 * their quotes are not.
 */
const escapeOrKind = new RegExp(String.raw`\\ud[89a-f]..|\\.|"${kindKey}"(?=:)`, "g");

function keepable(part: string): string {
  if (part.startsWith("\\ud")) {
    return replacement;
  }
  return part.startsWith("\\") ? part : JSON.stringify(replacement);
}
