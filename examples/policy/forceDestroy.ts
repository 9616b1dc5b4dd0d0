import type { ResourceValidationPolicy } from "@pulumi/policy";
import { isOneOf, stackOf } from "./declared";
import { matchesOne } from "./patterns";

/** The configuration of the stack, as the engine hands it to dynamic providers. */
const configurationType = "pulumi:providers:pulumi-nodejs";

/** Rows of a production stack are not removed because a resource or the configuration said so once. */
export const forceDestroy: ResourceValidationPolicy = {
  name: "force-destroy",
  description: "In production, rows that a task still holds must not be removed by a destroy.",
  configSchema: {
    properties: {
      productionStacks: {
        type: "array",
        items: { type: "string" },
        default: ["prod", "production"],
        description: "Names of the stacks that are production; * stands for any text.",
      },
    },
  },
  validateResource: (args, report) => {
    const { productionStacks } = args.getConfig<{ productionStacks: string[] }>();
    if (!matchesOne(stackOf(args), productionStacks)) {
      return;
    }
    if (isOneOf(args, "TaskCopy", "ExtractionTask") && args.props.forceDestroy === true) {
      report("forceDestroy is true: leave it out here, and remove rows by a decision of that day.");
    }
    const configured = args.type === configurationType ? args.props["webextract:forceDestroy"] : undefined;
    if (configured !== undefined && configured !== "false") {
      report("webextract:forceDestroy is in the stack's configuration: remove it (pulumi config rm).");
    }
  },
};
