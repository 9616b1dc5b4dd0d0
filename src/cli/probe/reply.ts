import { ContractBreach } from "../../service/contract/contractBreach";
import type { OperationName, ResponseOf } from "../../service/contract/operations";
import { readResponse } from "../../service/contract/responses";
import type { Failure, HttpResponse } from "../../service/errors/failures";
import { isRecord } from "../../service/isRecord";
import type { RawRequest } from "../../service/rawClient";

/** The form of a body. The first four are those of errors. */
export type BodyForm = "envelope" | "legacy" | "html" | "empty" | "json" | "text";

/** A response to a question, whatever its status. */
export class Reply {
  /** The body as JSON; undefined if it is none. */
  readonly json: unknown;
  readonly form: BodyForm;

  constructor(
    readonly request: RawRequest,
    readonly response: HttpResponse,
    /** What a refusal means; undefined if the service accepted the request. */
    readonly failure: Failure | undefined,
  ) {
    const text = response.body.toString("utf8");
    this.json = parsed(text);
    this.form = formOf(text, this.json, response.contentType);
  }

  get isAccepted(): boolean {
    return this.failure === undefined;
  }

  get status(): number {
    return this.response.status;
  }

  /** What two responses have in common that mean the same. */
  get signature(): string {
    return [this.status, this.failure?.kind ?? "accepted", this.failure?.code ?? "", this.form].join(" ");
  }

  /** The response of an operation as the contract describes it; undefined for a refusal and for a breach. */
  read<Name extends OperationName>(name: Name): ResponseOf<Name> | undefined {
    return this.isAccepted && this.breach === undefined ? readResponse(name, this.response.body) : undefined;
  }

  /** How an accepted response breaks the contract: the field and the type of its value. */
  get breach(): string | undefined {
    try {
      if (this.isAccepted) {
        readResponse(this.request.operation, this.response.body);
      }
      return undefined;
    } catch (error) {
      if (error instanceof ContractBreach) {
        return error.message;
      }
      throw error;
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function formOf(text: string, json: unknown, contentType: string): BodyForm {
  if (text.trim() === "") {
    return "empty";
  }
  if (json === undefined) {
    return /^\s*</.test(text) || contentType.includes("html") ? "html" : "text";
  }
  if (isRecord(json) && isRecord(json.error)) {
    return "envelope";
  }
  return isRecord(json) && typeof json.error === "string" ? "legacy" : "json";
}
