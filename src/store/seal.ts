import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const cipher = "aes-256-gcm";
const [ivLength, tagLength] = [12, 16];
const [nameLength, keyLength] = [16, 32];

/**
 * Writes and reads what only those can read, or find, who know a secret. The secret needs too many possible values to be
 * guessed: there is no salt, because all machines must come to the same name and key without a further secret.
 */
export class Seal {
  /** Does not reveal the secret. */
  readonly name: string;
  readonly #key: Buffer;
  readonly #context: Buffer;

  /** @param purpose what it is used for: another purpose has another name and key */
  constructor(secret: string, purpose: string) {
    const derived = Buffer.from(hkdfSync("sha256", secret, "", `webextract-v1\n${purpose}`, nameLength + keyLength));
    this.name = derived.toString("hex", 0, nameLength);
    this.#key = derived.subarray(nameLength);
    this.#context = Buffer.from(`webextract-v1 ${this.name}`);
  }

  /** Another content each time. */
  close(value: object): Buffer {
    const iv = randomBytes(ivLength);
    const encrypting = createCipheriv(cipher, this.#key, iv, { authTagLength: tagLength }).setAAD(this.#context);
    const text = Buffer.concat([encrypting.update(JSON.stringify(value)), encrypting.final()]);
    return Buffer.concat([iv, encrypting.getAuthTag(), text]);
  }

  /** Undefined if it was written with another secret, or changed. */
  open(body: Buffer): unknown {
    const [iv, tag] = [body.subarray(0, ivLength), body.subarray(ivLength, ivLength + tagLength)];
    try {
      const reading = createDecipheriv(cipher, this.#key, iv, { authTagLength: tagLength }).setAAD(this.#context);
      const text = Buffer.concat([
        reading.setAuthTag(tag).update(body.subarray(ivLength + tagLength)),
        reading.final(),
      ]);
      return JSON.parse(text.toString());
    } catch {
      return undefined;
    }
  }
}
