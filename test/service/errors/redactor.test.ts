import assert from "node:assert/strict";
import { slowIt } from "../../environment";
import fc from "../../fastCheck";
import { commandEnvironment, Redactor } from "../../internals/service";

const each = (text: string, by: (character: string) => string): string => [...text].map(by).join("");
const hex = (character: string): string => (character.codePointAt(0) ?? 0).toString(16);
const percent = (text: string): string => encodeURIComponent(text);
const names = new Map(
  Object.entries({ "+": "plus", "/": "sol", "=": "equals", "&": "amp", "-": "hyphen", _: "lowbar" }),
);
const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** Every form in which a credential is hidden, as docs/explanation/secrets.md lists them. */
const forms: Record<string, (token: string) => string> = {
  "as it is": (token) => token,
  "in capitals": (token) => token.toUpperCase(),
  "in percent-encoding": percent,
  "in percent-encoding of every character": (token) => each(token, (one) => `%${hex(one)}`),
  "in percent-encoding twice": (token) => percent(percent(token)),
  "in a form": (token) => new URLSearchParams({ token }).toString().slice("token=".length),
  "in JSON": (token) => JSON.stringify(token).slice(1, -1),
  "in JSON with escaped slashes": (token) => JSON.stringify(token).slice(1, -1).replaceAll("/", "\\/"),
  "in JSON with escapes": (token) => each(token, (one) => `\\u${hex(one).padStart(4, "0")}`),
  "in decimal entities": (token) => each(token, (one) => (/\w/.test(one) ? one : `&#${one.codePointAt(0)};`)),
  "in hexadecimal entities": (token) => each(token, (one) => `&#x0${hex(one).toUpperCase()};`),
  "in named entities": (token) => each(token, (one) => (names.has(one) ? `&${names.get(one)};` : one)),
  "in hex": (token) => Buffer.from(token).toString("hex"),
  "in capitals of hex": (token) => Buffer.from(token).toString("hex").toUpperCase(),
  "in base64": base64,
  "in base64 of an address": (token) => Buffer.from(token).toString("base64url"),
  "in base64 after a user": (token) => base64(`user:${token}`),
  "in base64 after Bearer": (token) => base64(`Bearer ${token}`),
  "in base64 within a text": (token) => base64(`ab${token}cd`),
  "in base64 in percent-encoding": (token) => percent(base64(`x:${token}`)),
  "broken by a line break": (token) => `${token.slice(0, 9)}\r\n${token.slice(9)}`,
  "broken by spaces": (token) => `${token.slice(0, 5)} ${token.slice(5, 11)}\t${token.slice(11)}`,
  "in lines of base64": (token) => base64(`user:${token}`).replace(/.{8}/g, "$&\n"),
  "as its last 12 characters": (token) => token.slice(-12),
  "as its first 12 characters": (token) => token.slice(0, 12),
};

/** The characters that a token may have in a header. */
const token = fc.string({
  unit: fc.constantFrom(..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/="),
  minLength: 20,
  maxLength: 60,
});
const around = fc.constantFrom("", " ", "'", '"', ": ", "=", "<", ">", ", ", "\n", "(");

describe("the redactor", () => {
  for (const [form, write] of Object.entries(forms)) {
    it(`hides a credential ${form}, wherever it stands`, () => {
      fc.assert(
        fc.property(token, around, around, (word, before, after) => {
          const secrets = new Redactor();
          secrets.add(word);
          const written = write(word);
          const shown = secrets.scrub(`«${before}${written}${after}»`);
          assert.ok(shown.startsWith("«") && shown.endsWith("»"), shown);
          const left = shown.slice(1, -1).replaceAll("[secret]", "");
          // Base64 begins and ends with characters that the text around the credential changes.
          const most = form.includes("base64") ? 12 : 0;
          assert.ok(left.length <= before.length + after.length + most, `${written} became ${shown}`);
        }),
      );
    });
  }

  it("leaves out of the environment of a command what holds a key in any of these forms", () => {
    const word = "pk/9fQ+Zr72=LwXe41_tB";
    const secrets = new Redactor();
    secrets.add(word);
    const secret = Object.entries(forms).map(([form, write], index) => [`K${index} ${form}`, `x ${write(word)} y`]);
    const kept = { HOME: "/home/user", LANG: "C.UTF-8", OTHER: base64("user:another key of another service") };
    assert.deepEqual(commandEnvironment(secrets.scrub, { ...Object.fromEntries(secret), ...kept }), kept);
  });

  it("leaves text without a credential as it is, encodings included", () => {
    const secrets = new Redactor();
    secrets.add("pk/9fQ+Zr72=LwXe41_tB");
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."ab&#;x2+% \\un\n\ud800=") }), (text) => {
        assert.equal(secrets.scrub(text), text);
      }),
    );
  });

  slowIt("takes linear time", () => {
    const secrets = new Redactor();
    secrets.add("pk/9fQ+Zr72=LwXe41_tB");
    // With quadratic time, these would take minutes.
    for (const piece of [
      "%",
      "%25",
      "%2525",
      "&",
      "&#x",
      "&amp;",
      "\\",
      "\\u00",
      "+ ",
      "%ff",
      "pk/9fQ+Zr72=LwXe41_t",
    ]) {
      secrets.scrub(piece.repeat(200_000 / piece.length));
    }
  });
});
