/**
 * Infrastructure as code for a web data extraction service: the names that a Pulumi program uses.
 * @module pulumi-webextract
 */

export type { ManifestArgs } from "./manifest/manifest";
export { Manifest } from "./manifest/manifest";
export * from "./program/classes";
export { ExtractionResource } from "./program/extractionResource";
export * from "./program/functions";
export type { ProviderArgs } from "./program/nativePlugin";
export { Provider } from "./program/nativePlugin";
export type { PlainData, Trigger, TriggerList, TriggerMap } from "./program/triggers";
