import { log, runtime } from "@pulumi/pulumi";
import { credentialKeys } from "../../config/configKeys";
import { isEncrypted } from "../../engine/sdk";

/**
 * Warns once of all credentials that are plain text in the configuration. Never shows a value. Pulumi passes the
 * profiles as one JSON string.
 */
export function warnOfPlainCredentials(all: Readonly<Record<string, string>>): void {
  const found = [...credentialKeys, "profiles"]
    .map((name) => `webextract:${name}`)
    .filter((key) => all[key] && !isEncrypted(key))
    .filter((key) => key !== "webextract:profiles" || credentialKeys.some((name) => all[key]?.includes(`"${name}"`)));
  if (found.length > 0) {
    void log.warn(
      `Credentials are in plain text in the configuration of stack "${runtime.getStack()}": ${found.join(", ")}. ` +
        "Everybody who can read the stack's configuration file, its history in git, or the state can use them. Encrypt them; each command asks for the value:\n" +
        `${found.map((key) => `  pulumi config set --secret ${key}\n`).join("")}` +
        "The history still has the old values afterwards, so replace these credentials at the service.",
    );
  }
}
