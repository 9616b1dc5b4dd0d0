import { canonical } from "../resources/values";
import { isRecord } from "../service/isRecord";
import type { Wire, WireProperties } from "./values";
import { secretContent } from "./values";

/** One property that differs. */
export interface PropertyChange {
  /** In the engine's notation, such as `actions.open.properties["a.b"]`. */
  path: string;
  /** Name of the argument that it is in. */
  argument: string;
  kind: "add" | "delete" | "update";
}

/** What differs between two versions of the checked arguments. A value that becomes secret differs, because the state must encrypt it. */
export function changesBetween(before: WireProperties, now: WireProperties): PropertyChange[] {
  return names(before, now).flatMap((argument) =>
    [...within(before[argument], now[argument], keyPath("", argument))].map((change) => ({ ...change, argument })),
  );
}

function* within(before: Wire, now: Wire, path: string): Generator<Omit<PropertyChange, "argument">, void, void> {
  const [old, present] = [secretContent(before), secretContent(now)];
  if (old !== undefined && present !== undefined) {
    yield* within(old.value, present.value, path);
  } else if (isAbsent(before) || isAbsent(now)) {
    if (!isAbsent(before) || !isAbsent(now)) {
      yield { path, kind: isAbsent(before) ? "add" : "delete" };
    }
  } else if (old === undefined && present === undefined && isRecord(before) && isRecord(now)) {
    for (const name of names(before, now)) {
      yield* within(before[name], now[name], keyPath(path, name));
    }
  } else if (Array.isArray(before) && Array.isArray(now)) {
    for (let index = 0; index < Math.max(before.length, now.length); index++) {
      yield* within(before[index], now[index], `${path}[${index}]`);
    }
  } else if (canonical(before) !== canonical(now)) {
    yield { path, kind: "update" };
  }
}

function isAbsent(wire: Wire): boolean {
  return wire === undefined || wire === null;
}

function names(before: WireProperties, now: WireProperties): string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(now)])];
}

function keyPath(path: string, key: string): string {
  if (key === "" || /[."[\]]/.test(key)) {
    return `${path}[${JSON.stringify(key)}]`;
  }
  return path === "" ? key : `${path}.${key}`;
}
