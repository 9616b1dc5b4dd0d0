import { isRecord } from "../../values/plain";
import { saysSuccess } from "../contract/successWords";
import { parsedJson } from "../parsedJson";

/** What the body of an error says. */
export interface ErrorBody {
  code?: string;
  said?: string;
  requestId?: string;
  /** Whether it has the form of the service's errors. Proxies and other programs send errors in JSON too. */
  isOfService: boolean;
}

/** Bytes. No error of the service is that large; a page of a proxy can be. */
const largest = 1024 * 1024;

/**
 * Reads `{error: {code, message}, requestId}` or the older `{error, error_Description}`, and similar forms of others;
 * undefined for anything else.
 * @param isSuccess whether the status says so: a body with data that is not empty is then no error
 */
export function readErrorBody(body: Buffer, isSuccess: boolean): ErrorBody | undefined {
  // A success can have megabytes of rows, so an error is looked for among its first members only.
  if (isSuccess && !body.subarray(0, 4096).includes('"error"')) return undefined;
  if (body.length > largest) return undefined;
  const parsed = parsedJson(body.toString("utf8"));
  if (!isRecord(parsed) || (isSuccess && hasContent(parsed.data))) return undefined;
  const { error } = parsed;
  const requestId = text(parsed.requestId);
  if (isSuccess && saysSuccess(error)) return undefined;
  if (isRecord(error)) {
    return { code: text(error.code), said: text(error.message), requestId, isOfService: requestId !== undefined };
  }
  if (typeof error === "string" && error !== "") {
    const said = text(parsed.error_Description) ?? text(parsed.error_description);
    // Without a description, it can be a sentence of a proxy, such as "upstream request timeout".
    if (said === undefined && /\s/.test(error)) return { said: error, requestId, isOfService: false };
    return { code: error, said, requestId, isOfService: said !== undefined };
  }
  // Some say only that there is an error, or its number.
  const bare = error === true || typeof error === "number" ? String(error) : undefined;
  if (isSuccess && bare === undefined) return undefined;
  const said = text(parsed.message) ?? text(parsed.error_Description);
  return { code: text(parsed.code) ?? bare, said, requestId, isOfService: false };
}

/** `false`, an empty list and the like come with errors too. */
function hasContent(data: unknown): boolean {
  return typeof data === "object" && data !== null ? Object.keys(data).length > 0 : Boolean(data);
}

function text(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}
