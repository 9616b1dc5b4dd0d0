/** What breaks the contract in an answer: the field's path and what came, never the value itself. */
export class ContractBreach extends Error {
  override readonly name = "ContractBreach";
}
