import type { Value } from "./database";
import { mostShown } from "./fieldFigures";
import { tableOf } from "./sides/rowTable";

/** A field with its column in both sides. */
export interface ComparedField {
  name: string;
  base: number;
  head: number;
}

/** Fields whose columns are in the same tables can be compared by one statement. */
export function inTheSameTables(fields: readonly ComparedField[]): ComparedField[][] {
  const groups = new Map<string, ComparedField[]>();
  for (const field of fields) {
    const tables = `${tableOf("base", field.base)} ${tableOf("head", field.head)}`;
    const group = groups.get(tables) ?? [];
    groups.set(tables, group);
    group.push(field);
  }
  return [...groups.values()];
}

/** Pairs of rows with the tables of some fields, which are in the same ones. */
export function joinOf(pairs: string, [first = { name: "", base: 0, head: 0 }]: readonly ComparedField[]): string {
  return `${pairs} AS pairs JOIN ${tableOf("base", first.base)} AS base ON base.rowid = base_row JOIN ${tableOf("head", first.head)} AS head ON head.rowid = head_row`;
}

/** The key of a row as a list. */
export function keyIn(table: string, parts: readonly string[]): string {
  return `[${parts.map((part) => `left(${table}.${part}, ${mostShown})`).join(", ")}]`;
}

export function keysIn(found: Value | undefined): string[][] {
  return ((found ?? []) as Value[][]).map((key) => key.map(String));
}
