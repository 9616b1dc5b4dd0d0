import type { RawRequest } from "../../service/rawClient";

/** A task that no account has. */
export const nobody = "webextract-probe-no-task";
export const nobodyElse = "webextract-probe-no-other-task";

type Asked = Omit<RawRequest, "credential">;

export function readRows(taskId: string, offset: number, size: number): Asked {
  return { operation: "getData", query: { taskId, offset, size } };
}

/** A read without its required parameters. */
export function readNothing(): Asked {
  return { operation: "getData", query: {} };
}

export function readActions(taskIds: readonly string[], actionTypes: readonly string[]): Asked {
  return { operation: "getActions", json: { taskIds, actionTypes } };
}

export function readSubtasks(taskId: string, page: number, size: number): Asked {
  return { operation: "getSubtasks", query: { taskId, page, size } };
}

/** A refresh with a token that nobody has issued, at this path. */
export function refreshNothing(path: string): RawRequest {
  const json = { refresh_token: "webextract-probe-no-such-token", grant_type: "refresh_token" };
  return { operation: "refreshToken", path, json, credential: "none" };
}
