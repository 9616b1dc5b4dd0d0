import type { OperationName } from "../contract";
import type { Handler, HandlerResult, Service, ServiceRequest } from "../service";
import { copyTask } from "./copyTask";
import { getActions } from "./getActions";
import { getBatchData } from "./getBatchData";
import { getData } from "./getData";
import { getNotExportedData } from "./getNotExportedData";
import { getSubtasks } from "./getSubtasks";
import { markExported } from "./markExported";
import { refreshToken } from "./refreshToken";
import { removeData } from "./removeData";
import { startSubtasks } from "./startSubtasks";
import { startTask } from "./startTask";
import { stopSubtasks } from "./stopSubtasks";
import { updateActionProperties } from "./updateActionProperties";
import { updateLoopItems } from "./updateLoopItems";
import { updateTaskParameters } from "./updateTaskParameters";
import { updateTaskUrls } from "./updateTaskUrls";

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

/** Runs the handler of an operation on fields that its schema in openapi.yaml has passed. */
export function handle(name: OperationName, service: Service, request: ServiceRequest<unknown>): HandlerResult {
  // The contract's check is what gives the fields their type.
  const handler = handlers[name] as (service: Service, request: ServiceRequest<unknown>) => HandlerResult;
  return handler(service, request);
}
