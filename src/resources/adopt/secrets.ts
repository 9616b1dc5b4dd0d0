import { hideSecrets, mayBeSecret, saysWhere } from "../../service/errors/secretShapes";

/** What becomes of such a value in an import. */
export const notImported = "is not imported. To declare it, take it from a secret of the configuration";

/**
 * Finds values that must not be written to a file: the credentials in use, and values that look like secrets of the
 * task. The service does not mark them, so this is a guess.
 */
export class Secrets {
  /**
   * @param redact hides the credentials in use
   * @param fate what becomes of a value that may be a secret: the end of a sentence
   */
  constructor(
    private readonly redact: (text: string) => string = (text) => text,
    readonly fate = "is a variable that you have to set",
  ) {}

  /** Whether a property is or contains a secret. */
  mayBeProperty(name: string, value: string): boolean {
    return mayBeSecret(name, value) || this.hasCredential(value);
  }

  /** Whether a value contains a secret, whatever its name. */
  mayBeValue(value: string): boolean {
    return hideSecrets(value) !== value || this.hasCredential(value);
  }

  /**
   * Whether an action may type the value of this property into a field for a password, by what else the action shows.
   * The contract does not define the names of properties, so each one counts that is none of a place, a time or a
   * switch.
   * @param others all other names and values of the action
   */
  isTypedPassword(name: string, value: string, others: readonly unknown[]): boolean {
    const isOther = saysWhere(name) || isTime.test(name) || /^(?:\s*|true|false)$/i.test(value);
    return (
      !isOther &&
      others.some((each) => namesPassword.test(typeof each === "string" ? each : (JSON.stringify(each) ?? "")))
    );
  }

  private hasCredential(value: string): boolean {
    return this.redact(value) !== value;
  }
}

const isTime = /wait|delay|time|interval|retr(?:y|ies)/i;
const namesPassword =
  /passwor[dt]|passwd|passphrase|passcode|kennwort|contrase(?:n|ñ)a|senha|mot de passe|wachtwoord|пароль|密[码碼]|パスワード|(?<![\p{L}\d])(?:pass|pwd|pin|otp)(?![\p{L}\d])/iu;
