import { log, runtime } from "@pulumi/pulumi";
import type { ConfigValues, Key } from "../config/configKeys";
import { configKeys } from "../config/configKeys";
import { parse } from "../config/parse";
import { isEncrypted } from "../engine/configSecrets";
import { canonical } from "../resources/values";
import { isRecord } from "../service/isRecord";

/** A credential that is not encrypted: its key, and the arguments of the command that encrypts it. */
interface PlainCredential {
  key: string;
  command: string;
}

/** Warns once of all credentials that are plain text in the configuration. Never shows a value. */
export function warnOfPlainCredentials(all: Readonly<Record<string, string>>): void {
  const found = [...plainKeys(all), ...plainInProfiles(all["webextract:profiles"])];
  if (found.length === 0) {
    return;
  }
  const commands = [...new Set(found.map(({ command }) => `pulumi config set --secret ${command}`))];
  const isByPath = found.some(({ command }) => command.startsWith("--path"));
  void log.warn(
    `Credentials are in plain text in the configuration of stack "${runtime.getStack()}": ${found.map(({ key }) => key).join(", ")}. ` +
      "Everybody who can read the stack's configuration file, its history in git, or the state can use them. Encrypt them; each command asks for the value:\n" +
      `${commands.map((command) => `  ${command}\n`).join("")}` +
      (isByPath
        ? "If the file has profiles as one JSON string, a command with --path would replace all of it. Then run: pulumi config set --secret webextract:profiles\n"
        : "") +
      "The history still has the old values afterwards, so replace these credentials at the service.",
  );
}

function plainKeys(all: Readonly<Record<string, string>>): PlainCredential[] {
  return credentialNames().flatMap((name) => {
    const key = `webextract:${name}`;
    return all[key] && !isEncrypted(key) ? [{ key, command: key }] : [];
  });
}

/** Pulumi passes the profiles as one JSON string. If one value in it is encrypted, the whole string counts as encrypted. */
function plainInProfiles(raw: string | undefined): PlainCredential[] {
  const key = "webextract:profiles";
  const isReadable = raw !== undefined && !isEncrypted(key);
  const profiles = isReadable ? (parse(configKeys.profiles.kind, raw) as ConfigValues["profiles"]) : undefined;
  // Pulumi converts a map of the file into compact JSON with sorted keys. Any other string is a string in the file too, and has no paths.
  const mayBeMap = profiles !== undefined && canonical(profiles) === raw;
  return Object.entries(profiles ?? {}).flatMap(([profile, fields]) =>
    credentialNames().flatMap((name) => {
      const isGiven = isRecord(fields) && typeof fields[name] === "string" && fields[name] !== "";
      const path = `${key}${/^[A-Za-z0-9_-]+$/.test(profile) ? `.${profile}` : `[${JSON.stringify(profile)}]`}.${name}`;
      return isGiven ? [{ key: path, command: mayBeMap ? `--path '${path}'` : key }] : [];
    }),
  );
}

function credentialNames(): string[] {
  return Object.entries<Key>(configKeys).flatMap(([name, { isSecret }]) => (isSecret ? [name] : []));
}
