import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { BuildOptions, Plugin } from "esbuild";
import { build as bundle } from "esbuild";
import { repositoryRoot } from "./commands";
import { eagerMethods } from "./eagerMethods";

/** Beside the bundle: the licences of the packages in it. */
const notices = "THIRD-PARTY-NOTICES.txt";

/**
 * Writes the provider and the command line as one file each, in place of their compiled modules. Each `pulumi up` loads the provider in a
 * new process, and one file loads in half the time of 140. Development dependencies that they use become a part of the file, so that an
 * install does not contain them. The package's own dependencies and Pulumi stay outside, because programs use them too.
 */
export async function bundleEntries(dist: string): Promise<void> {
  await bundleEntry("src/provider/provider.ts", join(dist, "provider"));
  await bundleEntry("src/cli/main.ts", join(dist, "cli"));
  for (const module of onDemand) {
    await bundleOnDemand(module, dist);
  }
}

/** Modules whose libraries take long to load and are rarely needed: each is a bundle of its own, which the others load when they need it. */
const onDemand = ["resources/export/checks/jsonSchema", "manifest/yaml"];

const loadOnDemand: Plugin = {
  name: "load on demand",
  setup(build) {
    for (const module of onDemand) {
      // From `provider` or `cli`, beside which `resources` and `manifest` are.
      const path = `../${module}.js`;
      build.onResolve({ filter: new RegExp(`/${basename(module)}$`) }, () => ({ path, external: true }));
    }
  },
};

/** Its build for Node reads an environment variable for each token of a file, which takes a quarter of the whole time. */
const alias = { yaml: join(repositoryRoot, "node_modules", "yaml", "browser", "index.js") };

/** Its lexer, parser and composer are generators, which all callers empty at once. */
const eagerYaml: Plugin = {
  name: "eager yaml",
  setup(build) {
    build.onLoad(
      { filter: /[\\/]yaml[\\/]browser[\\/]dist[\\/].*[\\/](?:lexer|parser|composer)\.js$/ },
      ({ path }) => ({
        contents: eagerMethods(readFileSync(path, "utf8"), ["lex", "parse", "compose"]),
      }),
    );
  },
};

/** @param module such as `manifest/yaml`: bundled from `src` into the folder, as a file of the same name */
export async function bundleOnDemand(module: string, folder: string): Promise<void> {
  const outfile = join(folder, `${module}.js`);
  const { metafile } = await bundle({
    ...options(),
    alias,
    plugins: [eagerYaml],
    entryPoints: [`src/${module}.ts`],
    outfile,
    allowOverwrite: true,
  });
  writeFileSync(join(dirname(outfile), notices), noticesOf(Object.keys(metafile.inputs)));
}

async function bundleEntry(entry: string, folder: string): Promise<void> {
  const compiled = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : [];
  for (const file of compiled.filter((each) => each.endsWith(".js"))) {
    rmSync(join(folder, file));
  }
  const { metafile } = await bundle({ ...options(), entryPoints: [entry], outdir: folder, plugins: [loadOnDemand] });
  writeFileSync(join(folder, notices), noticesOf(Object.keys(metafile.inputs)));
}

function options() {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8"));
  return {
    absWorkingDir: repositoryRoot,
    bundle: true,
    platform: "node",
    target: "node20",
    // `@pulumi` as a whole: packages of it use each other.
    external: [...Object.keys(dependencies), ...Object.keys(peerDependencies), "@pulumi/*"],
    legalComments: "inline",
    logLevel: "error",
    metafile: true,
  } as const satisfies BuildOptions;
}

/** The licence of each package whose files are in the bundle. */
function noticesOf(files: readonly string[]): string {
  const folders = files.flatMap((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  const parts = [...new Set(folders)].sort().map((folder) => {
    const root = join(repositoryRoot, folder);
    const { name, version, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const file = readdirSync(root).find((each) => /^licen[cs]e/i.test(each));
    if (file === undefined) {
      throw new Error(`${name} has no licence file, so no bundle may contain it`);
    }
    return `${name} ${version} (${license})\n\n${readFileSync(join(root, file), "utf8").trim()}\n`;
  });
  const begin = "The bundle in this folder contains the packages below. Each is followed by its licence.\n";
  return [begin, ...parts].join(`\n${"-".repeat(80)}\n\n`);
}
