import type { OperationName } from "../contract";
import type { Handler, HandlerResult, Service, ServiceRequest } from "../service";
import { getSubtasks } from "./cloudextraction/getSubtasks";
import { startSubtasks } from "./cloudextraction/startSubtasks";
import { startTask } from "./cloudextraction/startTask";
import { stopSubtasks } from "./cloudextraction/stopSubtasks";
import { getBatchData } from "./data/getBatchData";
import { getData } from "./data/getData";
import { getNotExportedData } from "./data/getNotExportedData";
import { markExported } from "./data/markExported";
import { removeData } from "./data/removeData";
import { refreshToken } from "./refreshToken";
import { copyTask } from "./task/copyTask";
import { getActions } from "./task/getActions";
import { updateActionProperties } from "./task/updateActionProperties";
import { updateLoopItems } from "./task/updateLoopItems";
import { updateTaskParameters } from "./task/updateTaskParameters";
import { updateTaskUrls } from "./task/updateTaskUrls";

const handlers = {
  refreshToken,
  updateTaskParameters,
  updateTaskUrls,
  updateActionProperties,
  updateLoopItems,
  getActions,
  startTask,
  startSubtasks,
  stopSubtasks,
  getSubtasks,
  getBatchData,
  getData,
  getNotExportedData,
  markExported,
  removeData,
  copyTask,
} satisfies { [Name in OperationName]: Handler<Name> };

/** Runs the handler of an operation. The fields must be valid according to openapi.yaml. */
export function handle(name: OperationName, service: Service, request: ServiceRequest<unknown>): HandlerResult {
  // The check against openapi.yaml has ensured the type of the fields.
  const handler = handlers[name] as (service: Service, request: ServiceRequest<unknown>) => HandlerResult;
  return handler(service, request);
}
