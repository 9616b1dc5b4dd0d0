import { ContractBreach } from "./contractBreach";
import type { Field } from "./fields";
import { answeredId, FieldProblem, freeObject } from "./fields";
import { parseJson } from "./json";
import type { AnswerOf, OperationName } from "./operations";
import { operations } from "./operations";
import type { TokenPair } from "./types";

/** @throws ContractBreach that names the field and what it holds */
export function readAnswer<Name extends OperationName>(name: Name, body: Buffer): AnswerOf<Name> {
  const { answer }: { answer: Field<unknown> } = operations[name];
  return kept(() => answer.read(parseJson(body), "")) as AnswerOf<Name>;
}

/** The tokens of a response to a refresh. */
export type NewTokens = Pick<TokenPair, "access_token" | "refresh_token"> & { expires_in?: unknown };

/**
 * As {@link readAnswer} of a refresh, without the fields that are not needed: the refresh token that was sent may be worthless now, so the
 * new one must not be lost because of another field.
 * @throws ContractBreach
 */
export function readNewTokens(body: Buffer): NewTokens {
  return kept(() => {
    const { data } = freeObject.read(parseJson(body), "the response");
    const { access_token, refresh_token, expires_in } = freeObject.read(data, "data");
    return {
      access_token: answeredId.read(access_token, "data.access_token"),
      refresh_token: answeredId.read(refresh_token, "data.refresh_token"),
      expires_in,
    };
  });
}

function kept<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FieldProblem)) throw error;
    throw new ContractBreach(`the response breaks the contract: ${error.message}.`);
  }
}
