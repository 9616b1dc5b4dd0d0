import type { ResourceValidationPolicy } from "@pulumi/policy";
import { isUnknownType } from "./declared";

/** Without this rule, a type that a later version adds or renames would pass every other rule. */
export const knownTypes: ResourceValidationPolicy = {
  name: "known-types",
  description: "The rules know each type of pulumi-webextract.",
  validateResource: (args, report) => {
    if (isUnknownType(args)) {
      report(`No rule of this policy pack knows the type ${args.type}. Update the pack.`);
    }
  },
};
