/**
 * Infrastructure as code for a web data extraction service: the names that a Pulumi program uses.
 * @module pulumi-webextract
 */

export * from "./pulumi/classes";
export { ExtractionResource } from "./pulumi/extractionResource";
export * from "./pulumi/functions";
