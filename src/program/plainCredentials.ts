import { log, runtime } from "@pulumi/pulumi";
import type { ConfigValues } from "../config/configKeys";
import { configKeys, credentialKeys } from "../config/configKeys";
import { parse } from "../config/parse";
import { isEncrypted } from "../engine/configSecrets";
import { isRecord } from "../service/isRecord";

const profilesKey = "webextract:profiles";

/** Warns once of all credentials that are plain text in the configuration. Never shows a value. */
export function warnOfPlainCredentials(all: Readonly<Record<string, string>>): void {
  const keys = credentialKeys.map((name) => `webextract:${name}`).filter((key) => all[key] && !isEncrypted(key));
  const inProfiles = plainInProfiles(all[profilesKey]);
  const found = [...keys, ...inProfiles];
  if (found.length === 0) {
    return;
  }
  const commands = [...keys, ...(inProfiles.length > 0 ? [profilesKey] : [])];
  void log.warn(
    `Credentials are in plain text in the configuration of stack "${runtime.getStack()}": ${found.join(", ")}. ` +
      "Everybody who can read the stack's configuration file, its history in git, or the state can use them. Encrypt them; each command asks for the value:\n" +
      `${commands.map((key) => `  pulumi config set --secret ${key}\n`).join("")}` +
      "The history still has the old values afterwards, so replace these credentials at the service.",
  );
}

/** Pulumi passes the profiles as one JSON string. If one value in it is encrypted, the whole string counts as encrypted. */
function plainInProfiles(raw: string | undefined): string[] {
  const profiles =
    raw === undefined || isEncrypted(profilesKey)
      ? undefined
      : (parse(configKeys.profiles.kind, raw) as ConfigValues["profiles"]);
  return Object.entries(profiles ?? {}).flatMap(([profile, fields]) =>
    credentialKeys
      .filter((name) => isRecord(fields) && typeof fields[name] === "string" && fields[name] !== "")
      .map((name) => `${profilesKey}.${profile}.${name}`),
  );
}
