import { isRecord } from "../isRecord";
import { ContractBreach } from "./contractBreach";
import { parseJson } from "./json";
import type { OperationName } from "./operations";
import type * as wire from "./types";

export interface AnswerOf {
  refreshToken: wire.DataEnvelope<wire.TokenPair>;
  updateTaskParameters: wire.DataEnvelope<wire.UpdatedTaskParameters>;
  updateTaskUrls: wire.Envelope;
  updateActionProperties: wire.DataEnvelope<wire.MessageData>;
  updateLoopItems: wire.DataEnvelope<wire.MessageData>;
  getActions: wire.DataEnvelope<wire.TaskActions[]>;
  startTask: wire.DataEnvelope<wire.StartedRun>;
  startSubtasks: wire.Envelope;
  stopSubtasks: wire.Envelope;
  getSubtasks: wire.DataEnvelope<wire.Subtask[]>;
  getBatchData: wire.DataEnvelope<wire.DataPage>;
  getData: wire.DataEnvelope<wire.DataPage>;
  getNotExportedData: wire.DataEnvelope<wire.NotExportedPage>;
  markExported: wire.Envelope;
  removeData: wire.Envelope;
  copyTask: wire.DataEnvelope<wire.CopiedTask>;
}

type Reader<T> = (value: unknown, path: string) => T;

const text: Reader<string> = (value, path) => (typeof value === "string" ? value : breach(path, "a text", value));

/** Older services send ids as numbers. Their digits are kept, see {@link parseJson}. */
const id: Reader<string> = (value, path) => {
  const digits = typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;
  return typeof digits === "string" && digits !== "" ? digits : breach(path, "a text that is not empty", value);
};

const count: Reader<number> = (value, path) =>
  typeof value === "number" && Number.isSafeInteger(value) ? value : breach(path, "an integer", value);

/** Seconds as a number, or as text, which some services send. */
const seconds: Reader<number | string> = (value, path) =>
  (typeof value === "number" && Number.isFinite(value)) ||
  (typeof value === "string" && /^\s*\d+(\.\d+)?\s*$/.test(value))
    ? value
    : breach(path, "a number of seconds", value);

const freeObject: Reader<Record<string, unknown>> = (value, path) =>
  isRecord(value) ? value : breach(path, "an object", value);

const listOf =
  <T>(entry: Reader<T>): Reader<T[]> =>
  (value, path) =>
    Array.isArray(value) ? value.map((item, index) => entry(item, `${path}[${index}]`)) : breach(path, "a list", value);

/** Fields beside those of the contract are kept as they came. */
const shape =
  <T extends object>(fields: { [Field in keyof T]-?: Reader<T[Field]> }): Reader<T> =>
  (value, path) => {
    const given = freeObject(value, path);
    const readers: [string, Reader<unknown>][] = Object.entries(fields);
    const read = readers.map(([field, reader]) => [
      field,
      reader(given[field], path === "" ? field : `${path}.${field}`),
    ]);
    return { ...given, ...Object.fromEntries(read) } as T;
  };

const envelope = shape<wire.Envelope>({ requestId: text });
const envelopeOf = <T>(data: Reader<T>) => shape<wire.DataEnvelope<T>>({ requestId: text, data });
const message = envelopeOf(shape<wire.MessageData>({ message: text }));
const page = { total: count, restTotal: count, offset: count };
const dataPage = envelopeOf(shape<wire.DataPage>({ data: listOf(freeObject), ...page }));

const readers: { readonly [Name in OperationName]: Reader<AnswerOf[Name]> } = {
  refreshToken: envelopeOf(
    shape<wire.TokenPair>({ access_token: id, expires_in: seconds, token_type: text, refresh_token: id }),
  ),
  updateTaskParameters: envelopeOf(shape<wire.UpdatedTaskParameters>({ taskId: id, updatedParameters: freeObject })),
  updateTaskUrls: envelope,
  updateActionProperties: message,
  updateLoopItems: message,
  getActions: envelopeOf(listOf(shape<wire.TaskActions>({ taskId: id, actions: listOf(freeObject) }))),
  startTask: envelopeOf(shape<wire.StartedRun>({ lotNo: id, status: text })),
  startSubtasks: envelope,
  stopSubtasks: envelope,
  getSubtasks: envelopeOf(listOf(shape<wire.Subtask>({ subTaskId: id, status: text }))),
  getBatchData: dataPage,
  getData: dataPage,
  getNotExportedData: envelopeOf(
    shape<wire.NotExportedPage>({ data: listOf(freeObject), total: count, current: count }),
  ),
  markExported: envelope,
  removeData: envelope,
  copyTask: envelopeOf(shape<wire.CopiedTask>({ taskId: id })),
};

/** @throws ContractBreach naming the field and what came. */
export function readAnswer<Name extends OperationName>(name: Name, body: Buffer): AnswerOf[Name] {
  return readers[name](parseJson(body), "");
}

/** The tokens of an answer to a refresh. */
export type NewTokens = Pick<wire.TokenPair, "access_token" | "refresh_token"> & { expires_in?: unknown };

/**
 * As {@link readAnswer} of a refresh, but for what can be done without: the refresh token that was sent may be worthless now, so the new
 * one must not be thrown away because of another field.
 * @throws ContractBreach
 */
export function readNewTokens(body: Buffer): NewTokens {
  const { data } = freeObject(parseJson(body), "");
  const { access_token, refresh_token, expires_in } = freeObject(data, "data");
  return {
    access_token: id(access_token, "data.access_token"),
    refresh_token: id(refresh_token, "data.refresh_token"),
    expires_in,
  };
}

function breach(path: string, expected: string, value: unknown): never {
  const field = path === "" ? "the answer" : path;
  throw new ContractBreach(`the answer breaks the contract: ${field} must be ${expected}, came ${describe(value)}.`);
}

function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (value === "") return "an empty text";
  if (typeof value === "number") return Number.isInteger(value) ? "a number" : "a number with a fraction";
  return { string: "a text", boolean: "true or false", object: "an object" }[typeof value as string] ?? typeof value;
}
