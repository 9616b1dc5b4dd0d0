import type { DocComments } from "./docComments";
import type { Parts } from "./parts";
import { list } from "./parts";

export const functionsPage = "docs/reference/functions.md";

/** Those whose arguments are listed: the page says of which the others have a part. */
const functions = ["getActions", "getBatchData"];

/** The functions' arguments and options. */
export function partsOfFunctions(docs: DocComments): Parts {
  const listOf = (type: string): string => {
    const { names, fields } = docs.of(type);
    return list(
      names.map((name) => {
        const { type = "", isOptional = false, comment = "" } = fields(name) ?? {};
        return [name, `\`${type}\`${isOptional ? "" : "; required"}`, comment];
      }),
    );
  };
  return {
    command: "npm run docs",
    required: {
      options: listOf("FunctionOutputOptions"),
      rows: listOf("GetDataResult"),
      ...Object.fromEntries(
        functions.map((name) => [`arguments of ${name}`, listOf(`${name.replace(/^g/, "G")}Args`)]),
      ),
    },
  };
}
