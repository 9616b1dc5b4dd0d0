/**
 * The client of the service, usable without Pulumi: `import { ServiceClient } from "pulumi-webextract/service"`.
 * @module pulumi-webextract/service
 */

export type { CredentialSource, CredentialsInUse } from "./auth/accessToken";
export type { CommandCredential } from "./auth/credentialCommand";
export { ServiceClient } from "./client";
export type { Operation, OperationName, ResponseOf } from "./contract/operations";
export { operations } from "./contract/operations";
export * from "./contract/types";
export { environmentVariables, optionsFromEnvironment } from "./environment";
export type { ServiceErrorKind, ServiceErrorOutcome } from "./errors/errors";
export { isServiceError, ServiceError } from "./errors/errors";
export type { CallOptions, CredentialScheme, LogLevel, ServiceClientOptions } from "./options";
export type { RowPage, RowSource } from "./rows/rowPage";
export type { RowsOptions } from "./rows/rows";
export { optionProblems } from "./settings";
