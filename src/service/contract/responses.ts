import type { Kind, Problem, Shape } from "../../values/kinds";
import { checkValue, freeMap, id, scalar } from "../../values/kinds";
import { isRecord } from "../../values/plain";
import { ContractBreach } from "./contractBreach";
import { parseJson } from "./json";
import type { Operation, OperationName, ResponseOf } from "./operations";
import { operations } from "./operations";
import { newOwnRunId } from "./ownRunIds";
import { saysSuccess } from "./successWords";

/**
 * @param request its fields
 * @param startsWithoutLotNo whether a start is confirmed without a lotNo
 * @throws ContractBreach that names the field and the kind of its value
 */
export function readResponse<Name extends OperationName>(
  name: Name,
  body: Buffer,
  request: Readonly<Record<string, unknown>> = {},
  startsWithoutLotNo = false,
): ResponseOf<Name> {
  const { doneData, madeId, nullData }: Operation<object, unknown> = operations[name];
  const came = parseJson(body);
  const sent = name === "startTask" && startsWithoutLotNo ? withLotNo(came) : came;
  const whole = isRecord(sent) && sent.data === null ? { ...sent, data: nullData ?? null } : sent;
  const kind = operations[name].response as Kind<ResponseOf<Name>>;
  if (
    madeId !== undefined &&
    isRecord(whole) &&
    isRecord(whole.data) &&
    fitting(id, whole.data[madeId]) !== undefined
  ) {
    return read(kind, withStrings(kind, whole), "");
  }
  if (!isRecord(whole) || !saysSuccess(whole.error)) return read(kind, whole, "");
  // Services that say it in words are older ones, whose responses may have no requestId.
  return read(kind, { ...whole, requestId: whole.requestId ?? "", data: whole.data ?? doneData?.(request) }, "");
}

/**
 * The response to a start with an id of ours, if it has no lotNo. It must say that the service sent it, by a requestId
 * or by words: other responses without data do not show a start.
 */
function withLotNo(response: unknown): unknown {
  if (!isRecord(response)) return response;
  const { data = null, requestId, error } = response;
  const isConfirmed = fitting(id, requestId) !== undefined || saysSuccess(error);
  const fields = isRecord(data) ? data : {};
  const isWithout = data === null || data === true || (isRecord(data) && (data.lotNo ?? null) === null);
  return isConfirmed && isWithout ? { ...response, data: { ...fields, lotNo: newOwnRunId() } } : response;
}

/** The value with the strings of the shape: an empty one in place of what is no string. Ids stay as they are. */
function withStrings(shape: Shape, value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields = Object.entries(shape.is === "object" ? shape.fields : {}).map(([name, { kind }]) => {
    const each = value[name];
    if (kind?.is === "string" && !kind.isId) return [name, fitting(scalar, each) ?? ""];
    return [name, kind && isRecord(each) ? withStrings(kind, each) : each];
  });
  return { ...value, ...Object.fromEntries(fields) };
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
 * As {@link readResponse} of a refresh, but reads only the tokens, also outside of `data`. The refresh token that was
 * sent can be invalid now, so a new one must not be lost because of another field.
 * @throws ContractBreach
 */
export function readNewTokens(body: Buffer): NewTokens {
  const whole = read(freeMap, parseJson(body), "");
  const { access_token, refresh_token, expires_in } = isRecord(whole.data) ? whole.data : whole;
  const [accessToken, refreshToken] = [access_token, refresh_token].map((token) => fitting(id, token));
  if (accessToken === undefined && refreshToken === undefined) {
    read(freeMap, whole.data, "data");
    read(id, access_token, "data.access_token");
  }
  return { accessToken, refreshToken, expiresIn: expires_in };
}

/** The value as a string; undefined if it does not fit. */
function fitting(kind: typeof id | typeof scalar, value: unknown): string | undefined {
  const problems: Problem[] = [];
  const checked = checkValue(kind, value, "", problems);
  return problems.length === 0 ? (checked as string) : undefined;
}

function read<T>(kind: Kind<T>, value: unknown, path: string): T {
  const problems: Problem[] = [];
  const checked = checkValue(kind, value, path, problems);
  const [problem] = problems;
  if (problem !== undefined) {
    const { path: of, reason } = problem;
    throw new ContractBreach(`the response breaks the contract: ${of === "" ? "the response" : of} ${reason}.`);
  }
  return checked as T;
}
