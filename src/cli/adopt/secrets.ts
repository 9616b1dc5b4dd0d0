/**
 * Finds values that must not be written to a file: the credentials in use, and values that look like secrets of the task. The service does not mark
 * them, so this is a guess. A setting that is left out by mistake stays as it is at the service.
 */
export class Secrets {
  /** @param credentials those of the connection */
  constructor(private readonly credentials: readonly string[] = []) {}

  /** Whether a property is or contains a secret. */
  mayBeProperty(name: string, value: string): boolean {
    return value !== "" && (isSecretName(name) || this.mayBeValue(value));
  }

  /** Whether a value contains a secret, whatever its name. */
  mayBeValue(value: string): boolean {
    if (this.credentials.some((credential) => credential !== "" && value.includes(credential))) {
      return true;
    }
    return (
      /^\s*(?:Bearer|Basic)\s/i.test(value) ||
      (value.includes("://") && value.split(/[\s"'<>]+/).some((word) => isSecretUrl(word)))
    );
  }
}

const secretWords = [
  "password",
  "passwd",
  "pwd",
  "passphrase",
  "secret",
  "token",
  "cookie",
  "cookies",
  "authorization",
];
const secretPairs = ["apikey", "accesskey", "privatekey", "secretkey", "authkey"];
/** A property such as PasswordSelector says where something is, not what it is. */
const places = ["selector", "xpath", "field", "name", "id", "column", "type", "index"];

function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\d]+/u);
  if (places.includes(words.at(-1) ?? "")) {
    return false;
  }
  return words.some(
    (word, index) =>
      secretWords.includes(word) ||
      secretPairs.includes(word) ||
      secretPairs.includes(`${word}${words[index + 1] ?? ""}`),
  );
}

/** Names of query parameters. A token of a page, such as `pageToken`, is none. */
const secretParameters = [
  ...["token", "accesstoken", "authtoken", "apikey", "accesskey", "secret", "clientsecret"],
  ...["password", "passwd", "pwd", "signature", "sig", "auth", "sessionid"],
];

function isSecretUrl(text: string): boolean {
  if (!URL.canParse(text)) {
    return false;
  }
  const { password, searchParams } = new URL(text);
  return (
    password !== "" ||
    [...searchParams].some(
      ([name, value]) => value !== "" && secretParameters.includes(name.toLowerCase().replace(/[^a-z]/g, "")),
    )
  );
}
