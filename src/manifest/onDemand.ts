/** Loads the parser with the first manifest: most programs have none. */
export function manifestReader(): typeof import("./readManifests") {
  // biome-ignore lint/style/noCommonJs: an import at the top would load the parser with every program
  return require("./readManifests");
}
