/** A response that breaks the contract. The message names the field and what it holds, never the value itself. */
export class ContractBreach extends Error {
  override readonly name = "ContractBreach";
}
