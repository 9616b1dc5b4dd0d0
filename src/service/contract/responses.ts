import { ContractBreach } from "./contractBreach";
import type { Field } from "./fields";
import { FieldProblem, freeObject, responseId } from "./fields";
import { parseJson } from "./json";
import type { OperationName, ResponseOf } from "./operations";
import { operations } from "./operations";
import type { TokenPair } from "./types";

/** @throws ContractBreach that names the field and the kind of its value */
export function readResponse<Name extends OperationName>(name: Name, body: Buffer): ResponseOf<Name> {
  const { response }: { response: Field<unknown> } = operations[name];
  return asBreach(() => response.read(parseJson(body), "")) as ResponseOf<Name>;
}

/** The tokens of a response to a refresh. */
export type NewTokens = Pick<TokenPair, "access_token" | "refresh_token"> & { expires_in?: unknown };

/**
 * As {@link readResponse} of a refresh, but reads only the tokens. The refresh token that was sent can be invalid now, so the new one must
 * not be lost because of another field.
 * @throws ContractBreach
 */
export function readNewTokens(body: Buffer): NewTokens {
  return asBreach(() => {
    const { data } = freeObject.read(parseJson(body), "the response");
    const { access_token, refresh_token, expires_in } = freeObject.read(data, "data");
    return {
      access_token: responseId.read(access_token, "data.access_token"),
      refresh_token: responseId.read(refresh_token, "data.refresh_token"),
      expires_in,
    };
  });
}

function asBreach<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FieldProblem)) throw error;
    throw new ContractBreach(`the response breaks the contract: ${error.message}.`);
  }
}
