import { isServiceError, ServiceError, saysNoPath } from "./errors/errors";

/** A path that no service has. */
const noPath = "/webextract-no-such-path";

/** What is used of a client. */
interface Sender {
  getData(request: { taskId: string; offset: number; size: number }, options: { once: true }): Promise<unknown>;
  send(name: "getData", parts: { path: string }, options: { once: true }): Promise<unknown>;
}

/**
 * Whether a read was refused as each path is that the service does not have: then the base URL is wrong, or what
 * responds is not the service. Sends one request.
 */
export async function isRefusedAsPath(
  { status, code }: Pick<ServiceError, "status" | "code">,
  client: Sender,
): Promise<boolean> {
  try {
    await client.send("getData", { path: noPath }, { once: true });
    return status === 200;
  } catch (error) {
    if (isServiceError(error)) return error.status === status && error.code === code;
    throw error;
  }
}

/**
 * One read of a task, before the first request that must not be sent twice: at a wrong base URL, nothing in the response
 * to such a request proves that nothing was done.
 * @throws ServiceError if the service does not have the path
 */
export async function refuseWrongPath(taskId: string, client: Sender): Promise<void> {
  try {
    await client.getData({ taskId, offset: 0, size: 1 }, { once: true });
  } catch (error) {
    const saysSo = isServiceError(error, "contract") || (isServiceError(error, "refused") && saysNoPath(error));
    if (saysSo && error.status !== undefined && (await isRefusedAsPath(error, client))) {
      const message = `The base URL seems wrong, and nothing was written. ${error.message}`;
      throw new ServiceError({ ...error, message, outcome: "notExecuted" });
    }
  }
}
