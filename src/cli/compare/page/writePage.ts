import { InvalidArgumentError } from "commander";
import type { Cli } from "../../cli";
import { confirmedToReplace, writeFiles } from "../../output/writeFiles";

/**
 * @throws InvalidArgumentError for any other ending, so that a forgotten name leads to no file of rows that is replaced
 */
export function pageFile(given: string): string {
  if (!/\.html?$/i.test(given)) {
    throw new InvalidArgumentError("It must be a file that ends in .html.");
  }
  return given;
}

/** A page that is written when it is complete. Asks at once before a file is replaced. */
export async function plannedPage(
  path: string,
  yes: boolean,
  cli: Cli,
): Promise<{ write(content: string): Promise<void> }> {
  const present = (await confirmedToReplace(path, yes, cli)) ? "other" : "nothing";
  return {
    async write(content) {
      await writeFiles([{ path, content, present }], process.cwd(), cli.interrupted);
      cli.terminal.say(`The page is in ${path}.`);
    },
  };
}
