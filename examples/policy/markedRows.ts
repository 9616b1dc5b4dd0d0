import type { ResourceValidationPolicy } from "@pulumi/policy";
import { isOneOf } from "./declared";

/** Marked rows are not handed out again: the file that they went to is the only place where they are. */
export const markedRows: ResourceValidationPolicy = {
  name: "marked-rows",
  description: "Rows are marked as exported only by an export whose file stays.",
  validateResource: (args, report) => {
    if (!isOneOf(args, "DataExport") || args.props.markExported !== true) {
      return;
    }
    if (args.props.onDelete === "remove") {
      report('onDelete is "remove" together with markExported: a destroy would remove the only copy of the rows.');
    }
  },
};
