/** Infrastructure as code for a web data extraction service: the names that a Pulumi program uses. */

export * from "./pulumi/classes";
export { ExtractionResource } from "./pulumi/extractionResource";
export * from "./pulumi/functions";
