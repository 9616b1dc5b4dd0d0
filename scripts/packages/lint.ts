import { readFileSync } from "node:fs";
import type { Manifest } from "./packages";

/**
 * The problems that publint and Are the Types Wrong find in a tarball, one line each: fields of package.json that npm or a bundler
 * misreads, entry points that are not packed, and types that some way of importing does not find. Suggestions count as problems.
 */
export async function lintTarball(file: string): Promise<string[]> {
  // Loaded here, because Are the Types Wrong brings a compiler.
  const { publint } = await import("publint");
  const { formatMessage } = await import("publint/utils");
  const { checkPackage, createPackageFromTarballData } = await import("@arethetypeswrong/core");
  const data = new Uint8Array(readFileSync(file));

  const { messages, pkg } = await publint({ pack: { tarball: data.buffer }, strict: true });
  const said = messages.map((message) => `${message.type} ${message.code}: ${formatMessage(message, pkg)}`);

  const analysis = await checkPackage(createPackageFromTarballData(data), {
    excludeEntrypoints: dataEntries(pkg as unknown as Manifest),
  });
  if (analysis.types === false) return [...said, "the package has no types"];
  return [...said, ...analysis.problems.map((problem) => `types: ${JSON.stringify(problem)}`)];
}

/** Entry points that are files to read, such as a YAML file. They have no types. */
function dataEntries({ exports }: Manifest): string[] {
  return Object.entries(exports).flatMap(([entry, target]) =>
    typeof target === "string" && !/\.[cm]?js$/.test(target) ? [entry] : [],
  );
}
