/**
 * A response that breaks the contract. The message contains the field and the kind of its value, never the value
 * itself.
 */
export class ContractBreach extends Error {
  override readonly name = "ContractBreach";
}
