import type { PreparedRequest } from "../contract/requests";
import { taskIdInQuery } from "../contract/requests";
import { plain } from "../contract/successWords";
import type { ServiceError } from "../errors/errors";
import { isServiceError } from "../errors/errors";

/**
 * Sends uploads with the task's id where the service takes it: in the form, as the contract says, or in the query, as
 * one published description says. A service that refuses the form gets the upload once more, because a refusal proves
 * that nothing was written. What it takes holds for the client.
 */
export class UploadSender {
  #place: "form" | "query" | undefined;

  /** @throws ServiceError. Of two refusals, the one that is not about the place of the id */
  async send<T>(request: PreparedRequest, call: (request: PreparedRequest) => Promise<T>): Promise<T> {
    const isOnlyPlace = this.#place !== undefined;
    const place = this.#place ?? "form";
    try {
      const result = await call(place === "form" ? request : taskIdInQuery(request));
      this.#place = place;
      return result;
    } catch (refusal) {
      if (isOnlyPlace || !isRefusedForm(refusal)) throw refusal;
      try {
        const result = await call(taskIdInQuery(request));
        this.#place = "query";
        return result;
      } catch (second) {
        throw isRefusedForm(second) && !isAboutTaskId(refusal) ? refusal : second;
      }
    }
  }
}

/** The codes with which services refuse a field that is missing, or not one of theirs. */
const codes = ["invalidparameter", "invalidparameterrequired", "requestmodelnull"];

function isRefusedForm(error: unknown): error is ServiceError {
  return isServiceError(error, "refused") && error.outcome === "notExecuted" && codes.includes(plain(error.code ?? ""));
}

function isAboutTaskId({ said = "" }: ServiceError): boolean {
  return /task\W?id/i.test(said);
}
