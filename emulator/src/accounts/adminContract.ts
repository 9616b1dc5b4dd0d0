import type { operations as documented } from "../generated/admin";
import type { CheckedContract } from "../http/checkRequest";
import { checkedContract } from "../http/checkRequest";

type AdminOperationName = keyof documented;

/** The description of the admin API, and the check of requests against it. */
export function adminContract(): CheckedContract<AdminOperationName> {
  return checkedContract("admin.openapi.yaml", { thorough: true });
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
