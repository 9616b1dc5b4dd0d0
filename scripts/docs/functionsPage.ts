import type { DocComments } from "./docComments";
import type { Parts } from "./parts";
import { table } from "./parts";

export const functionsPage = "docs/reference/functions.md";

const functions = ["getActions", "getSubtasks", "getData", "getBatchData", "getNotExportedData"];

/** The tables of the functions' arguments and options. */
export function partsOfFunctions(docs: DocComments): Parts {
  const rowsOf = (type: string): string[][] => {
    const { names, fields } = docs.of(type);
    return names.map((name) => {
      const field = fields(name);
      return [`\`${name}\``, `\`${field?.type}\``, field?.isOptional ? "no" : "yes", field?.comment ?? ""];
    });
  };
  const tableOf = (type: string): string => table(["name", "type", "required", "meaning"], rowsOf(type));
  return {
    command: "npm run docs",
    required: {
      options: tableOf("FunctionOutputOptions"),
      rows: tableOf("GetDataResult"),
      ...Object.fromEntries(
        functions.map((name) => [`arguments of ${name}`, tableOf(`${name.replace(/^g/, "G")}Args`)]),
      ),
    },
  };
}
