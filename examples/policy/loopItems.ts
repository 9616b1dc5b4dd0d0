import type { ResourceValidationPolicy } from "@pulumi/policy";
import { loopsOf } from "./declared";

/** Limits the number of items of a loop, because a run costs more with each item. */
export const loopItems: ResourceValidationPolicy = {
  name: "loop-items",
  description: "A loop has at most the configured number of items.",
  configSchema: {
    properties: {
      maximum: { type: "integer", minimum: 1, default: 10000, description: "Largest number of items of one loop." },
    },
  },
  validateResource: (args, report) => {
    const { maximum } = args.getConfig<{ maximum: number }>();
    for (const { at, loop } of loopsOf(args)) {
      const { count, itemsFile } = loop;
      if (typeof count === "number" && count > maximum) {
        report(
          `${at}${itemsFile === undefined ? "items" : "itemsFile"} has ${count} items; at most ${maximum} are allowed.`,
        );
      }
    }
  },
};
