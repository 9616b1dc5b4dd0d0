/** The client of the service, usable without Pulumi: `import { ServiceClient } from "pulumi-webextract/service"`. */

export type { CredentialSource, CredentialsInUse } from "./accessToken";
export { ServiceClient } from "./client";
export { environmentVariables, optionsFromEnvironment } from "./environment";
export type { ServiceErrorKind, ServiceErrorOutcome } from "./errors";
export { isServiceError, ServiceError } from "./errors";
export type { Operation, OperationName } from "./operations";
export { operations } from "./operations";
export type { CallOptions, CredentialScheme, LogLevel, ServiceClientOptions } from "./options";
export type { RowPage, RowSource } from "./rowPage";
export type { RowsOptions } from "./rows";
export { optionProblems } from "./settings";
export * from "./types";
export type { UpdateTaskUrlsRequest, UploadSource } from "./uploadSource";
