import type { Properties } from "../engine/serialization";
import type { ArgSpecs, Shape } from "../resources/args";
import { replaceEach, unknown } from "../resources/values";
import { isRecord } from "../service/isRecord";

/**
 * Values as the engine sends them to a plugin. A secret, and a reference to a resource, are maps with a key of their own; an unknown value is one of some
 * strings.
 */

const kindKey = "4dabf18193072939515e22adb298388d";
const secretKind = "1b47061264138c4ac30d75fd1eb44270";
const referenceKind = "5cf8f73096256a8f31e491e813e4eb8e";

/** The first stands for an unknown value of any type, the others for those of one type. */
const unknownTexts = [
  "04da6b54-80e4-46f7-96ec-b56ff0331ba9",
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
] as const;

/** A value of the engine's protocol: plain data, as JSON has it. */
export type Wire = unknown;
export type WireProperties = Readonly<Record<string, Wire>>;

/** Which parts of a value are secret: all of it, or some parts of a map. A list with a secret item is secret as a whole. */
export type Secrets = true | { readonly [name: string]: Secrets };

/** A resource that the program gave as a value. */
export class ResourceReference {
  constructor(
    readonly urn: string,
    /** Empty while it is unknown. */
    readonly id: string,
  ) {}
}

/** A value without the marks of secrets, and what the marks were. */
export interface Decoded {
  value: unknown;
  secrets: Secrets | undefined;
}

/** Null values are left out: for the engine and its languages, null means "not given". */
export function decode(wire: Wire): Decoded {
  if (unknownTexts.some((text) => text === wire)) {
    return { value: unknown, secrets: undefined };
  }
  if (Array.isArray(wire)) {
    const items = wire.map(decode);
    const secrets = items.some((item) => item.secrets !== undefined) ? true : undefined;
    return { value: items.map(({ value }) => value), secrets };
  }
  if (!isRecord(wire)) {
    return { value: wire, secrets: undefined };
  }
  switch (wire[kindKey]) {
    case secretKind:
      return { value: decode(wire.value).value, secrets: true };
    case referenceKind:
      return { value: referenceOf(wire), secrets: undefined };
    default: {
      const given = Object.entries(wire).filter(([, value]) => value !== null);
      const fields = given.map(([name, value]) => [name, decode(value)] as const);
      const marked = fields.flatMap(([name, { secrets }]) => (secrets === undefined ? [] : [[name, secrets] as const]));
      return {
        value: Object.fromEntries(fields.map(([name, { value }]) => [name, value])),
        secrets: marked.length === 0 ? undefined : Object.fromEntries(marked),
      };
    }
  }
}

function referenceOf({ urn, id }: WireProperties): ResourceReference {
  const isKnown = typeof id === "string" && !unknownTexts.some((text) => text === id);
  return new ResourceReference(String(urn), isKnown ? id : "");
}

export function decodeProperties(wire: WireProperties): { values: Properties; secrets: Secrets | undefined } {
  const { value, secrets } = decode(wire);
  return { values: value as Properties, secrets };
}

/** @param secrets marks of the result. Marks within a part that is no map any more mark the whole part. */
export function encode(properties: object, secrets?: Secrets): WireProperties {
  const plain = JSON.parse(JSON.stringify(replaceEach(properties, (value) => value === unknown, unknownTexts[0])));
  return mark(plain, secrets === true ? undefined : secrets) as WireProperties;
}

function mark(wire: Wire, secrets: Secrets | undefined): Wire {
  if (secrets === undefined) {
    return wire;
  }
  if (secrets === true || !isRecord(wire)) {
    return { [kindKey]: secretKind, value: wire };
  }
  const fields = Object.entries(wire).map(([name, value]) => [
    name,
    mark(value, Object.hasOwn(secrets, name) ? secrets[name] : undefined),
  ]);
  return Object.fromEntries(fields);
}

/** The content of a secret of the protocol; undefined for all other values. */
export function secretContent(wire: Wire): { value: Wire } | undefined {
  return isRecord(wire) && wire[kindKey] === secretKind ? { value: wire.value } : undefined;
}

export function joinSecrets(one: Secrets | undefined, other: Secrets | undefined): Secrets | undefined {
  if (one === undefined || other === undefined || one === true || other === true) {
    return one === true || other === true ? true : (one ?? other);
  }
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  const fields = names.map((name) => [name, joinSecrets(part(one, name), part(other, name))]);
  return Object.fromEntries(fields);
}

function part(secrets: { readonly [name: string]: Secrets }, name: string): Secrets | undefined {
  return Object.hasOwn(secrets, name) ? secrets[name] : undefined;
}

/** All of these names. */
export function allSecret(names: readonly string[]): Secrets | undefined {
  return names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, true]));
}

/** The marks of arguments after their check: what it derives from a secret list (a digest, hosts) is secret too. */
export function withDerived(specs: ArgSpecs, secrets: Secrets | undefined): Secrets | undefined {
  if (secrets === undefined || secrets === true) {
    return secrets;
  }
  const derived = Object.keys(specs).filter((name) => specs[name]?.derived && !specs[name]?.givenByClass);
  const fields = Object.entries(secrets).flatMap(([name, marks]): [string, Secrets][] => {
    const kind = Object.hasOwn(specs, name) ? specs[name]?.kind : undefined;
    const isList = kind?.is === "list" && kind.isLines === true;
    return [
      [name, withinDerived(kind, marks)],
      ...(isList ? derived.map((each): [string, Secrets] => [each, true]) : []),
    ];
  });
  return Object.fromEntries(fields);
}

function withinDerived(kind: Shape | undefined, secrets: Secrets): Secrets {
  if (secrets === true || kind === undefined) {
    return secrets;
  }
  if (kind.is === "map") {
    const fields = Object.entries(secrets).map(([key, marks]) => [key, withinDerived(kind.of, marks)]);
    return Object.fromEntries(fields);
  }
  return kind.is === "object" ? (withDerived(kind.fields, secrets) ?? secrets) : secrets;
}
