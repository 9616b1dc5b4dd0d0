/**
 * The JavaScript that the engine keeps in the state of each resource and runs for it. This text is a permanent
 * contract. A changed text shows as an update of every resource of every user, and old state always runs the text that
 * it was written with.
 */
export function providerText(type: string): string {
  return `exports.handler=()=>require("module").createRequire(process.cwd()+"/")("pulumi-webextract/provider").get("${type}")`;
}

/** The property with that text. */
export const providerKey = "__provider";

/** Version of the format of the state. A resource reads older formats and refuses newer ones. */
export const stateVersion = 2;
