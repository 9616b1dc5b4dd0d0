import type { ResourceValidationPolicy } from "@pulumi/policy";
import { isOneOf, stackOf } from "./declared";
import { matchesOne } from "./patterns";

/** The key in the provider that holds the configuration of the stack: of the classes, and of the native plugin. */
const keys: Readonly<Record<string, string>> = {
  "pulumi:providers:pulumi-nodejs": "webextract:forceDestroy",
  "pulumi:providers:webextract": "forceDestroy",
};

/** Forbids a permanent `forceDestroy` in production stacks. */
export const forceDestroy: ResourceValidationPolicy = {
  name: "force-destroy",
  description: "In production, a destroy must not remove the rows of a task.",
  configSchema: {
    properties: {
      productionStacks: {
        type: "array",
        items: { type: "string" },
        default: ["prod", "production"],
        description: "Names of the production stacks. * matches any characters.",
      },
    },
  },
  validateResource: (args, report) => {
    const { productionStacks } = args.getConfig<{ productionStacks: string[] }>();
    if (!matchesOne(stackOf(args), productionStacks)) {
      return;
    }
    if (isOneOf(args, "TaskCopy", "ExtractionTask") && args.props.forceDestroy === true) {
      report("forceDestroy is true. Remove it, and set WEBEXTRACT_FORCE_DESTROY for a single destroy instead.");
    }
    const key = keys[args.type];
    const configured = key === undefined ? undefined : args.props[key];
    if (configured !== undefined && String(configured) !== "false") {
      report("webextract:forceDestroy is in the stack's configuration: remove it (pulumi config rm).");
    }
  },
};
