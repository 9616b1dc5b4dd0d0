import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build as bundle } from "esbuild";
import { repositoryRoot } from "./commands";

/** Beside the bundle: the licences of the packages in it. */
const notices = "THIRD-PARTY-NOTICES.txt";

/**
 * Writes the command line as one file, `main.js`, with the development dependencies that it uses: they make no install larger. The package's own
 * dependencies and Pulumi stay outside, because programs use them too.
 */
export async function bundleCli(folder: string): Promise<void> {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8"));
  const { metafile } = await bundle({
    absWorkingDir: repositoryRoot,
    entryPoints: ["src/cli/main.ts"],
    outfile: join(folder, "main.js"),
    bundle: true,
    platform: "node",
    target: "node20",
    // `@pulumi` as a whole: packages of it use each other.
    external: [...Object.keys(dependencies), ...Object.keys(peerDependencies), "@pulumi/*"],
    legalComments: "inline",
    logLevel: "error",
    metafile: true,
  });
  writeFileSync(join(folder, notices), noticesOf(Object.keys(metafile.inputs)));
}

/** The licence of each package whose files are in the bundle. */
function noticesOf(files: readonly string[]): string {
  const folders = files.flatMap((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  const parts = [...new Set(folders)].sort().map((folder) => {
    const root = join(repositoryRoot, folder);
    const { name, version, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const file = readdirSync(root).find((each) => /^licen[cs]e/i.test(each));
    if (file === undefined || !existsSync(join(root, file))) {
      throw new Error(`${name} has no licence file, and the command line cannot be packed with it`);
    }
    return `${name} ${version} (${license})\n\n${readFileSync(join(root, file), "utf8").trim()}\n`;
  });
  const begin = "The file main.js contains the packages below. Each is followed by its licence.\n";
  return [begin, ...parts].join(`\n${"-".repeat(80)}\n\n`);
}
