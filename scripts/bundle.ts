import { chmodSync, copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { BuildOptions, Plugin } from "esbuild";
import { build as bundle } from "esbuild";
import { parse } from "yaml";
import { repositoryRoot } from "./commands";

/** Beside the bundle: the licences of the packages in it. */
const notices = "THIRD-PARTY-NOTICES.txt";

/**
 * Writes the program's part, the provider and the command line as one file each, in place of their compiled modules. Each `pulumi up` loads the first two in
 * new processes, and one file loads in half the time of 160. Development dependencies that they use become a part of the file, so that an
 * install does not contain them. The package's own dependencies and Pulumi stay outside, because programs use them too.
 */
export async function bundleEntries(dist: string): Promise<void> {
  await bundleEntry({ program: "src/index.ts" }, join(dist, "program"));
  writeFileSync(join(dist, "index.js"), 'module.exports = require("./program/program");\n');
  await bundleEntry({ provider: "src/provider/provider.ts" }, join(dist, "provider"));
  await bundleEntry(commandLine, join(dist, "cli"));
  await bundlePlugin(join(dist, "plugin"), false);
  for (const module of onDemand) {
    await bundleOnDemand(module, dist);
  }
}

/**
 * Writes the emulator as three files: the library, the command, and the thread that reads pages. Its start takes half of the time, and an install
 * contains no other packages than its dependencies, such as those with compiled programs.
 */
export async function bundleEmulator(dist: string): Promise<void> {
  removeModules(dist);
  const root = join(repositoryRoot, "emulator");
  const { metafile } = await bundle({
    ...options(root),
    entryPoints: {
      index: "src/index.ts",
      cli: "src/cli.ts",
      "admin/client": "src/admin/client.ts",
      pageWorker: "src/extraction/reading/pageWorker.ts",
    },
    outdir: dist,
    plugins: [commandOverLibrary],
  });
  writeFileSync(join(dist, notices), noticesOf(Object.keys(metafile.inputs), root));
  for (const file of readdirSync(root).filter((name) => name.endsWith("openapi.yaml"))) {
    const contract = parse(readFileSync(join(root, file), "utf8"));
    writeFileSync(join(dist, file.replace(/yaml$/, "json")), JSON.stringify(contract));
  }
}

const commandOverLibrary: Plugin = {
  name: "command over library",
  setup(build) {
    build.onResolve({ filter: /^\.\/index$/ }, ({ importer }) =>
      basename(importer) === "cli.ts" ? { path: "./index.js", external: true } : undefined,
    );
  },
};

/** The start of the command line, and all the rest. */
const commandLine = { main: "cli/src/main.ts", cliProcess: "cli/src/cliProcess.ts" };

/** Modules whose libraries take long to load and are rarely needed: each is a bundle of its own, which the others load when they need it. */
const onDemand = ["resources/export/checks/jsonSchema", "manifest/yaml", "engine/openTelemetry"];
/** Two thirds of it are generated code, so it has short names. */
const generated = "openTelemetry";

const loadOnDemand: Plugin = {
  name: "load on demand",
  setup(build) {
    for (const module of onDemand) {
      // From `program`, `provider` or `cli`, beside which `resources` and `manifest` are.
      const path = `../${module}.js`;
      build.onResolve({ filter: new RegExp(`/${basename(module)}$`) }, () => ({ path, external: true }));
    }
    build.onResolve({ filter: /^\.\/cliProcess$/ }, ({ path }) => ({ path: `${path}.js`, external: true }));
  },
};

/** @param module such as `manifest/yaml`: bundled from `src` into the folder, as a file of the same name */
export async function bundleOnDemand(module: string, folder: string): Promise<void> {
  const outfile = join(folder, `${module}.js`);
  const { metafile } = await bundle({
    ...options(),
    entryPoints: [`src/${module}.ts`],
    outfile,
    allowOverwrite: true,
    // Nearly all of it is the code of packages. Names stay, for the reports of faults.
    ...(basename(module) === generated ? { minify: true } : { minifyWhitespace: true }),
  });
  writeFileSync(join(dirname(outfile), notices), noticesOf(Object.keys(metafile.inputs)));
}

/** Much code that most runs of the plugin do not need: each is a file beside its bundle, which loads it with the first use. */
const besidePlugin = {
  axios: "axios",
  jsonSchema: "src/resources/export/checks/jsonSchema.ts",
  yaml: "src/manifest/yaml.ts",
};

const loadFromBeside: Plugin = {
  name: "load from beside",
  setup(build) {
    build.onResolve(
      { filter: /^(?:axios|.*\/(?:jsonSchema|openTelemetry|yaml|cliProcess|pluginProcess))$/ },
      ({ path, kind }) => (kind === "entry-point" ? undefined : { path: `./${basename(path)}.js`, external: true }),
    );
  },
};

/** grpc-js loads it for services that describe the server itself. The plugin has none. */
const unusedByPlugin = ["@grpc/proto-loader"];

/**
 * Writes the native plugin. Unlike the other bundles, it works without any package beside it, except the optional ones, because its users can
 * have no Node.js project. Beside it are the launchers for a folder of plugins; an npm package starts the file itself.
 * @param withCommandLine adds the command line, which an npm package has as a command of its own
 */
export async function bundlePlugin(folder: string, withCommandLine: boolean): Promise<void> {
  removeModules(folder);
  const { external, ...others } = options();
  const common = {
    ...others,
    external: [...external.filter((name) => optionalPackages.includes(name)), ...unusedByPlugin],
    outdir: folder,
    plugins: [ownPackageInside, loadFromBeside],
  };
  const made = await bundle({
    ...common,
    entryPoints: {
      main: "plugin/src/main.ts",
      pluginProcess: "plugin/src/pluginProcess.ts",
      ...besidePlugin,
      ...(withCommandLine && { cli: commandLine.main, cliProcess: commandLine.cliProcess }),
    },
    // Most of it is the code of packages. Names stay, for the reports of faults.
    minifyWhitespace: true,
  });
  const traces = await bundle({ ...common, entryPoints: [`src/engine/${generated}.ts`], minify: true });
  const inputs = [made, traces].flatMap(({ metafile }) => Object.keys(metafile.inputs));
  writeFileSync(join(folder, notices), noticesOf(inputs));
  const launchers = join(repositoryRoot, "plugin", "launchers");
  for (const name of readdirSync(launchers)) {
    copyFileSync(join(launchers, name), join(folder, name));
    chmodSync(join(folder, name), 0o755);
  }
}

/** Outside of an npm package, there is no package.json to read. */
const ownPackageInside: Plugin = {
  name: "own package inside",
  setup(build) {
    const { version, engines, peerDependencies } = JSON.parse(
      readFileSync(join(repositoryRoot, "package.json"), "utf8"),
    );
    const ownPackage = JSON.stringify({ version, engines, peerDependencies });
    build.onLoad({ filter: /[\\/]system[\\/]ownPackage\.ts$/ }, ({ path }) => {
      const [before, after] = readFileSync(path, "utf8").split(/JSON\.parse\(.*\) as PackageFile;/);
      if (after === undefined) throw new Error(`${path} reads package.json in another way than the bundle expects`);
      return { contents: `${before}${ownPackage};${after}`, loader: "ts" };
    });
  },
};

async function bundleEntry(entryPoints: Record<string, string>, folder: string): Promise<void> {
  removeModules(folder);
  const { metafile } = await bundle({ ...options(), entryPoints, outdir: folder, plugins: [loadOnDemand] });
  writeFileSync(join(folder, notices), noticesOf(Object.keys(metafile.inputs)));
}

/** The declarations stay. */
function removeModules(folder: string): void {
  const compiled = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : [];
  for (const file of compiled.filter((each) => each.endsWith(".js"))) {
    rmSync(join(folder, file));
  }
}

/** Packages that users install themselves if they need them. */
const optionalPackages = [
  ...["@aws-sdk/client-s3", "@azure/identity", "@azure/storage-blob", "@google-cloud/storage"],
  ...["@duckdb/node-api", "@hpcc-js/wasm-zstd", "hucre", "hyparquet-writer"],
];

/** @param root the folder of the package */
function options(root = repositoryRoot) {
  const { dependencies = {}, peerDependencies = {} } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  return {
    absWorkingDir: root,
    bundle: true,
    platform: "node",
    target: "node20",
    // `@pulumi` as a whole: packages of it use each other.
    external: [...Object.keys(dependencies), ...Object.keys(peerDependencies), "@pulumi/*"] as string[],
    legalComments: "inline",
    logLevel: "error",
    metafile: true,
  } as const satisfies BuildOptions;
}

/**
 * The licence of each package whose files are in the bundle.
 * @param root the folder that the paths are relative to
 */
function noticesOf(files: readonly string[], root = repositoryRoot): string {
  const folders = files.flatMap((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  const parts = [...new Set(folders)].sort().map((path) => {
    const { name, version, license, author } = JSON.parse(readFileSync(join(root, path, "package.json"), "utf8"));
    return `${name} ${version} (${license})\n\n${licenceText(join(root, path)) ?? declaredLicence(name, license, author)}\n`;
  });
  const begin = "The bundle in this folder contains the packages below. Each is followed by its licence.\n";
  return [begin, ...parts].join(`\n${"-".repeat(80)}\n\n`);
}

function licenceText(folder: string): string | undefined {
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  return file === undefined ? undefined : readFileSync(join(folder, file), "utf8").trim();
}

/** Small packages name their licence only. */
function declaredLicence(name: string, license: unknown, author: unknown): string {
  if (typeof author !== "string" || (license !== "MIT" && license !== "ISC")) {
    throw new Error(`${name} has no licence file, so no bundle may contain it`);
  }
  return `Copyright ${author}\nThe package has no licence file. Its licence is ${license}: https://spdx.org/licenses/${license}.html`;
}
