export { claims } from "../../src/service/auth/sharedTokens";
export { TokenStore } from "../../src/service/auth/tokenStore";
export { ContractBreach, CutOff } from "../../src/service/contract/contractBreach";
export { parseJson } from "../../src/service/contract/json";
export type { OperationName } from "../../src/service/contract/operations";
export { operations } from "../../src/service/contract/operations";
export { isOwnRunId } from "../../src/service/contract/ownRunIds";
export { prepare } from "../../src/service/contract/requests";
export type {
  CopiedTask,
  DataPage,
  MessageData,
  NotExportedPage,
  StartedRun,
  Subtask,
  TaskActions,
  TokenPair,
  UpdatedTaskParameters,
  UploadSource,
} from "../../src/service/contract/types";
export { commandEnvironment, defaultTokenStore, proxyFromEnvironment } from "../../src/service/environment";
export { isServiceError, withoutHint } from "../../src/service/errors/errors";
export { failureOfResponse } from "../../src/service/errors/failures";
export { quoted, shownId, shownText } from "../../src/service/errors/foreignText";
export { Redactor } from "../../src/service/errors/hideWords";
export { hideRequestValues } from "../../src/service/errors/requestValues";
export { hideSecrets, mayBeSecret } from "../../src/service/errors/secretShapes";
export { joinLimiter, Limiter } from "../../src/service/http/limiter";
export type { Exchange, WireRequest } from "../../src/service/http/transport";
export { Transport } from "../../src/service/http/transport";
export { readPage } from "../../src/service/rows/rowPage";
export { serviceAddress } from "../../src/service/serviceAddress";
export { optionProblems } from "../../src/service/settings";
export { limits as s3Limits } from "../../src/store/limits";
export { patience } from "../../src/store/sharedStore";
export type { Cancel } from "../../src/system/clock";
export { clock } from "../../src/system/clock";
export { ProcessGroup } from "../../src/system/processGroup";
export type { Shape } from "../../src/values/kinds";
