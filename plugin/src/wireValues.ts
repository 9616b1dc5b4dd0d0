import type { JavaScriptValue } from "google-protobuf/google/protobuf/struct_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import type { Properties } from "../../src/engine/serialization";
import { serialize } from "../../src/engine/serialization";
import type { ArgSpecs } from "../../src/resources/args";
import { isUnknownText, kindKey, unknownText } from "../../src/values/engineValues";
import { entryOf, isRecord, unknown } from "../../src/values/plain";
import { providerKey } from "../../src/values/stateContract";

/**
 * Values as the engine sends them to a plugin. A secret, and a reference to a resource, are maps with a key of their
 * own; an unknown value is one of some strings.
 */

const secretKind = "1b47061264138c4ac30d75fd1eb44270";
const referenceKind = "5cf8f73096256a8f31e491e813e4eb8e";

/** Properties in the engine's protocol: plain data, as JSON has it. */
export type WireProperties = Readonly<Properties>;

/** The paths of the secret parts of properties. A list with a secret item is secret as a whole. */
export type SecretPaths = readonly (readonly string[])[];

/** A resource that the program gave as a value. */
export class ResourceReference {
  constructor(readonly urn: string) {}
}

/** Without the provider text, which the state of a resource contains that was dynamic before. */
export function fromStruct(struct: Struct | undefined): WireProperties {
  const { [providerKey]: _text, ...properties } = struct?.toJavaScript() ?? {};
  return properties;
}

export interface Decoded {
  values: Properties;
  secrets: SecretPaths;
}

/**
 * Properties without the marks of secrets, and where the marks were. Null values are left out: for the engine and its
 * languages, null means "not given".
 */
export function decodeStruct(struct: Struct | undefined): Decoded {
  return decodeProperties(fromStruct(struct));
}

export function decodeProperties(wire: WireProperties): Decoded {
  const secrets: (readonly string[])[] = [];
  const values = decode(wire, [], secrets) as Properties;
  return { values, secrets };
}

function decode(wire: unknown, path: readonly string[], secrets: (readonly string[])[]): unknown {
  if (isUnknownText(wire)) {
    return unknown;
  }
  if (Array.isArray(wire)) {
    const within: (readonly string[])[] = [];
    const items = wire.map((item) => decode(item, path, within));
    if (within.length > 0) {
      secrets.push(path);
    }
    return items;
  }
  if (!isRecord(wire)) {
    return wire;
  }
  switch (wire[kindKey]) {
    case secretKind:
      secrets.push(path);
      return decode(wire.value, path, []);
    case referenceKind:
      return new ResourceReference(String(wire.urn));
    default: {
      const given = Object.entries(wire).filter(([, value]) => value !== null);
      return Object.fromEntries(given.map(([name, value]) => [name, decode(value, [...path, name], secrets)]));
    }
  }
}

/** @param secrets marks of the result. Marks within a part that is no map any more mark the whole part. */
export function encodeStruct(properties: object, secrets: SecretPaths = []): Struct {
  return structOf(encode(properties, secrets));
}

export function structOf(wire: WireProperties): Struct {
  return Struct.fromJavaScript(wire as { [name: string]: JavaScriptValue });
}

/** A resource as a value. */
export function referenceTo(urn: string, id: string): WireProperties {
  return { [kindKey]: referenceKind, urn, id: id === "" ? unknownText : id };
}

/** Options of a connection: a list of items is one message. */
export const unlimitedMessages = { "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 };

export function encode(properties: object, secrets: SecretPaths): WireProperties {
  const wire = serialize(properties);
  // The whole before its parts, which need no mark of their own then.
  for (const path of [...secrets].sort((one, other) => one.length - other.length)) {
    mark(wire, path);
  }
  return wire;
}

function mark(properties: Properties, [name = "", ...rest]: readonly string[]): void {
  const value = entryOf(properties, name);
  if (value === undefined || (isRecord(value) && value[kindKey] === secretKind)) {
    return;
  }
  if (rest.length > 0 && isRecord(value)) {
    mark(value, rest);
  } else {
    properties[name] = { [kindKey]: secretKind, value };
  }
}

export function allSecret(names: readonly string[]): SecretPaths {
  return names.map((name) => [name]);
}

/** The marks of arguments after their check: what it derives from a secret list (a digest, hosts) is secret too. */
export function withDerived(specs: ArgSpecs, secrets: SecretPaths): SecretPaths {
  return [...secrets, ...secrets.flatMap((path) => derivedFrom(specs, [], path))];
}

function derivedFrom(specs: ArgSpecs, folder: readonly string[], [name = "", ...rest]: readonly string[]): SecretPaths {
  const kind = entryOf(specs, name)?.kind;
  if (kind?.is === "list" && kind.isLines === true) {
    const derived = Object.keys(specs).filter((each) => specs[each]?.derived && !specs[each]?.givenByClass);
    return derived.map((each) => [...folder, each]);
  }
  if (kind?.is === "object") {
    return derivedFrom(kind.fields, [...folder, name], rest);
  }
  if (kind?.is === "map" && kind.of.is === "object") {
    const [key = "", ...within] = rest;
    return derivedFrom(kind.of.fields, [...folder, name, key], within);
  }
  return [];
}
