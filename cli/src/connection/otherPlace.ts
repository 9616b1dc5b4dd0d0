import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { Argument } from "commander";
import { identityOf, isStoreAddress, storeAddressProblem } from "../../../src/store/storeAddress";
import { shellQuoted } from "../../../src/values/words";
import { usageError } from "../exitCodes";

/** The argument of a command that moves something. */
export const placeArgument = (): Argument => new Argument("<to>", "a folder, or the address of an object store");

/**
 * Where a command moves to: a folder, as an absolute path, or the address of a store.
 * @throws CliError if it is neither, or the place that is moved: to remove there would remove what was written
 */
export function otherPlace(given: string, from: string): string {
  const problem = given.trim() === "" ? "must be a folder or the address of a store" : storeAddressProblem(given);
  if (problem !== undefined) throw usageError(`"${given}" ${problem}.`);
  const to = isStoreAddress(given) ? given : resolve(given);
  const remedy = "Set the earlier one again, and move before you set this one.";
  if (isOnePlace(to, from)) throw usageError(`"${given}" is the present place. ${remedy}`);
  return to;
}

/** Whether two addresses, or paths, name the same place. */
export function isOnePlace(one: string, other: string): boolean {
  return oneSpelling(one) === oneSpelling(other);
}

function oneSpelling(place: string): string {
  if (isStoreAddress(place)) return identityOf(place).replace(/\/$/, "");
  return existsSync(place) ? realpathSync(place) : resolve(place);
}

/** The configuration is the user's. */
export function whatToSet(key: "journal" | "tokenStore", from: string, to: string): string {
  const stacks = key === "journal" ? "each stack whose entries were moved" : `any stack that used ${from}`;
  return `Before the next command of ${stacks}:\n  pulumi config set --plaintext webextract:${key} ${shellQuoted(to)}\nA refresh or a destroy uses the setting of the last up: run "pulumi up" first.`;
}
