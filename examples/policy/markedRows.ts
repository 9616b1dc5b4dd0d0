import type { ResourceValidationPolicy } from "@pulumi/policy";
import { isOneOf } from "./declared";

/** The service does not return marked rows again, so the exported file is the only copy. */
export const markedRows: ResourceValidationPolicy = {
  name: "marked-rows",
  description: "An export that marks rows keeps its file.",
  validateResource: (args, report) => {
    if (!isOneOf(args, "DataExport") || args.props.markExported !== true) {
      return;
    }
    if (args.props.onDelete === "removeFile") {
      report('onDelete is "removeFile" and markExported is true: a destroy would remove the only copy of the rows.');
    }
  },
};
