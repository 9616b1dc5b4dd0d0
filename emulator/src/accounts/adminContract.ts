import type { Contract, Operation } from "../contract";
import { operationsOf, readContract } from "../contract";
import type { operations as documented } from "../generated/admin";
import { RequestCheck } from "../http/checkRequest";

type AdminOperationName = keyof documented;

/** The description of the admin API, and the check of requests against it. */
export interface AdminContract {
  operations: readonly Operation<AdminOperationName>[];
  check: RequestCheck;
}

let admin: AdminContract | undefined;

/** Made at its first use: reading the description takes longer than a start of the emulator. */
export function adminContract(): AdminContract {
  if (admin === undefined) {
    const contract: Contract = readContract("admin.openapi.yaml");
    admin = { operations: operationsOf(contract), check: new RequestCheck(contract, { thorough: true }) };
  }
  return admin;
}

/**
 * Checks an argument of a member of the emulator as the body of a request to the admin API, so that both refuse the same.
 * @throws Refusal that names each wrong property.
 */
export function checkArgument(name: AdminOperationName, argument: unknown): void {
  const { operations, check } = adminContract();
  const operation = operations.find((each) => each.name === name);
  if (operation !== undefined) check.body(operation, argument);
}
