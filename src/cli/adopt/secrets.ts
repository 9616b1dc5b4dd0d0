import { hideSecrets, mayBeSecret } from "../../service/errors/secretShapes";

/**
 * Finds values that must not be written to a file: the credentials in use, and values that look like secrets of the task. The service does not mark
 * them, so this is a guess.
 */
export class Secrets {
  /** @param credentials those of the connection */
  constructor(private readonly credentials: readonly string[] = []) {}

  /** Whether a property is or contains a secret. */
  mayBeProperty(name: string, value: string): boolean {
    return mayBeSecret(name, value) || this.hasCredential(value);
  }

  /** Whether a value contains a secret, whatever its name. */
  mayBeValue(value: string): boolean {
    return hideSecrets(value) !== value || this.hasCredential(value);
  }

  private hasCredential(value: string): boolean {
    return this.credentials.some((credential) => credential !== "" && value.includes(credential));
  }
}
