/**
 * The client of the service, usable without Pulumi: `import { ServiceClient } from "pulumi-webextract/service"`.
 * @module pulumi-webextract/service
 */

export type { CredentialSource, CredentialsInUse } from "./accessToken";
export { ServiceClient } from "./client";
export type { CommandCredential } from "./credentialCommand";
export { environmentVariables, optionsFromEnvironment } from "./environment";
export type { ServiceErrorKind, ServiceErrorOutcome } from "./errors";
export { isServiceError, ServiceError } from "./errors";
export type { NamedOperation, Operation, OperationName } from "./operations";
export { operations } from "./operations";
export type { CallOptions, CredentialScheme, LogLevel, ServiceClientOptions } from "./options";
export type { BatchRows, NotExportedRows, RowPage, RowSource, TaskRows } from "./rowPage";
export type { RowsOptions } from "./rows";
export { optionProblems } from "./settings";
export * from "./types";
export type { UpdateTaskUrlsRequest, UploadSource } from "./uploadSource";
