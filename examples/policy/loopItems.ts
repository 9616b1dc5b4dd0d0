import type { ResourceValidationPolicy } from "@pulumi/policy";
import { loopsOf } from "./declared";

/** A run costs with each item that it goes through. */
export const loopItems: ResourceValidationPolicy = {
  name: "loop-items",
  description: "A loop has at most so many items.",
  configSchema: {
    properties: {
      maximum: { type: "integer", minimum: 1, default: 10000, description: "The most items that one loop may have." },
    },
  },
  validateResource: (args, report) => {
    const { maximum } = args.getConfig<{ maximum: number }>();
    for (const { at, loop } of loopsOf(args)) {
      const { count, itemsFile } = loop;
      if (typeof count === "number" && count > maximum) {
        report(
          `${at}${itemsFile === undefined ? "items" : "itemsFile"} holds ${count} items, at most ${maximum} are allowed.`,
        );
      }
    }
  },
};
