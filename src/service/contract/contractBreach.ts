/**
 * A response that breaks the contract. The message contains the field and the kind of its value, never the value
 * itself.
 */
export class ContractBreach extends Error {
  override readonly name = "ContractBreach";
}

/**
 * A response whose object ends in the middle. HTTP does not show that a response is cut off if its end is the end of the
 * connection, if it is compressed, or if a proxy ends it properly.
 */
export class CutOff extends ContractBreach {}
