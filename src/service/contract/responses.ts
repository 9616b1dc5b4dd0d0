import { isRecord } from "../isRecord";
import { ContractBreach } from "./contractBreach";
import type { Field } from "./fields";
import { FieldProblem, freeObject, responseId } from "./fields";
import { parseJson } from "./json";
import type { OperationName, ResponseOf } from "./operations";
import { operations } from "./operations";

/** @throws ContractBreach that names the field and the kind of its value */
export function readResponse<Name extends OperationName>(name: Name, body: Buffer): ResponseOf<Name> {
  const { response }: { response: Field<unknown> } = operations[name];
  return asBreach(() => response.read(parseJson(body), "")) as ResponseOf<Name>;
}

/** The tokens of a response to a refresh. At least one of them is there. */
export interface NewTokens {
  /** Absent if the response has none that can be used. */
  accessToken?: string;
  /** Absent if the one that was sent stays valid. */
  refreshToken?: string;
  expiresIn?: unknown;
}

/**
 * As {@link readResponse} of a refresh, but reads only the tokens, also outside of `data`. The refresh token that was sent can be invalid now, so a
 * new one must not be lost because of another field.
 * @throws ContractBreach
 */
export function readNewTokens(body: Buffer): NewTokens {
  return asBreach(() => {
    const whole = freeObject.read(parseJson(body), "the response");
    const { access_token, refresh_token, expires_in } = isRecord(whole.data) ? whole.data : whole;
    const [accessToken, refreshToken] = [access_token, refresh_token].map(tokenIn);
    if (accessToken === undefined && refreshToken === undefined) {
      freeObject.read(whole.data, "data");
      responseId.read(access_token, "data.access_token");
    }
    return { accessToken, refreshToken, expiresIn: expires_in };
  });
}

function tokenIn(value: unknown): string | undefined {
  try {
    return responseId.read(value, "");
  } catch {
    return undefined;
  }
}

function asBreach<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof FieldProblem)) throw error;
    throw new ContractBreach(`the response breaks the contract: ${error.message}.`);
  }
}
