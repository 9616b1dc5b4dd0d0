import type { CliCommand } from "../command";
import {
  areDefaults,
  defaultNames,
  defaultsFile,
  describeDefaults,
  mustBe,
  readDefaults,
  requireRegularFile,
} from "../connection/defaults";
import { CliError } from "../exitCodes";
import { connectionOptions } from "../options";
import { writeFiles } from "../output/writeFiles";

export const use: CliCommand = {
  name: "use",
  summary: "choose the stack or the account for the commands of this folder",
  details:
    `The command writes ${defaultsFile} in the current folder, which has no secrets. Later commands there read it, and say so, unless an option or WEBEXTRACT_BASE_URL names a service. ` +
    `Without options, the command shows what the file has. To end its use, remove the file.`,
  connects: false,
  options: connectionOptions().filter((option) => defaultNames.includes(option.attributeName())),
  examples: [
    { line: "use --stack dev", does: "makes --stack dev the default of this folder" },
    { line: "use", does: "shows the defaults of this folder" },
  ],
  async run({ options }, cli) {
    const given = Object.fromEntries(
      defaultNames.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
    );
    const folder = process.cwd();
    if (Object.keys(given).length === 0) {
      const found = readDefaults(folder);
      const text =
        found === undefined ? "This folder has no defaults." : `This folder uses ${describeDefaults(found)}.`;
      return { json: found ?? {}, text: () => text };
    }
    if (!areDefaults(given)) {
      throw new CliError(`The defaults must be names, ${mustBe}. Nothing was written.`, "usage");
    }
    requireRegularFile(folder);
    const content = `${JSON.stringify(given, undefined, 2)}\n`;
    await writeFiles([{ path: defaultsFile, content, present: "other" }], folder, cli.interrupted);
    return {
      json: given,
      text: () => `The commands in this folder use ${describeDefaults(given)}. Wrote ${defaultsFile}.`,
    };
  },
};
