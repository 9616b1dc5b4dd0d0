import type { Behaviour } from "../behaviour";
import type { OperationName } from "../contract";
import { Refusal } from "../errors";
import type { PlannedFault } from "../faults/faults";
import type { HandlerResult, Service } from "../service";

/** A response before it is sent. */
export interface ServiceResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** What the form of a response depends on. */
type Answering = Pick<Service, "behaviour" | "clock">;

const json = { "content-type": "application/json; charset=utf-8" };
const html = { "content-type": "text/html; charset=utf-8" };

/** Operations whose response says only that the change was made. */
const changes: readonly OperationName[] = ["updateTaskParameters", "updateActionProperties", "updateLoopItems"];

/** The response to an accepted request, in the form of the behaviour `successBody`. */
export function successResponse(
  requestId: string,
  { data, dataText }: HandlerResult,
  { behaviour: { successBody }, operation }: { behaviour: Behaviour; operation: OperationName },
): ServiceResponse {
  const isLeftOut = successBody === "wordsWithoutData" && changes.includes(operation);
  const content = isLeftOut ? undefined : (dataText ?? JSON.stringify(data));
  const text = content ?? (successBody === "contract" ? undefined : "null");
  const words = successBody === "words" || successBody === "wordsWithoutData";
  const members = [
    text === undefined ? [] : `"data":${text}`,
    words ? `"error":"success","error_Description":"Operation successes"` : [],
    `"requestId":${JSON.stringify(requestId)}`,
  ];
  return { status: 200, headers: json, body: `{${members.flat().join(",")}}` };
}

/** The response to a refused request, in the form of the behaviour `errorBody`. */
export function failureResponse(requestId: string, refusal: Refusal, { behaviour, clock }: Answering): ServiceResponse {
  const status = refusal.statusUnder(behaviour.errorStatus);
  const headers = refusal.code === "TooManyRequests" ? retryAfter(behaviour, clock.now()) : {};
  const { code, message } = refusal;
  switch (behaviour.errorBody) {
    case "legacy":
      return {
        status,
        headers: { ...json, ...headers },
        body: JSON.stringify({ error: code, error_Description: message }),
      };
    case "html":
      return { status, headers: { ...html, ...headers }, body: page(status) };
    case "empty":
      return { status, headers, body: "" };
    default:
      return {
        status,
        headers: { ...json, ...headers },
        body: JSON.stringify({ error: { code, message }, requestId }),
      };
  }
}

/** The response of a proxy that cannot reach the service. */
export function gatewayResponse(status: number): ServiceResponse {
  return { status, headers: html, body: page(status) };
}

/** The response of a fault that has its own. */
export function faultResponse(
  fault: PlannedFault,
  requestId: string,
  path: string,
  service: Answering,
): ServiceResponse {
  if (fault.kind === "error") {
    return failureResponse(
      requestId,
      new Refusal(fault.code ?? "ServerError", "an unexpected error has occurred", fault.status),
      service,
    );
  }
  if (fault.kind === "redirect") {
    return { status: fault.status ?? 307, headers: { location: fault.location ?? path, ...fault.headers }, body: "" };
  }
  const status = fault.status ?? 503;
  if (fault.body === undefined) return { ...gatewayResponse(status), headers: { ...html, ...fault.headers } };
  if (typeof fault.body === "string") return { status, headers: { ...html, ...fault.headers }, body: fault.body };
  return { status, headers: { ...json, ...fault.headers }, body: JSON.stringify(fault.body) };
}

function page(status: number): string {
  return `<html><head><title>${status}</title></head><body><center><h1>${status}</h1></center></body></html>\n`;
}

function retryAfter(behaviour: Behaviour, now: number): Record<string, string> {
  if (behaviour.retryAfter === "none") return {};
  if (behaviour.retryAfter === "seconds") return { "retry-after": "1" };
  // A client compares the two, and the clock of an emulator need not show the real time.
  return { date: new Date(now).toUTCString(), "retry-after": new Date(now + 1000).toUTCString() };
}
