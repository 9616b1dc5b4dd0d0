import assert from "node:assert/strict";
import { slowIt } from "../../environment";
import fc from "../../fastCheck";
import { allHostileStrings, harmlessValues, secretValues } from "../../hostile";
import { failureOfResponse, hideSecrets, mayBeSecret } from "../../internals/service";

describe("the shapes of secrets", () => {
  for (const [what, { name = "", value, secret }] of Object.entries(secretValues)) {
    it(`hide ${what}`, () => {
      assert.ok(mayBeSecret(name, value), value);
      if (name === "") {
        assert.ok(!hideSecrets(value).includes(secret), hideSecrets(value));
        const within = hideSecrets(`before ${value}\nafter`);
        assert.ok(!within.includes(secret), within);
        assert.match(within, /^before /);
      }
    });
  }

  it("hide no harmless value", () => {
    const found = harmlessValues.filter(({ name = "", value }) => mayBeSecret(name, value));
    assert.deepEqual(found, []);
    const changed = harmlessValues.filter(({ value }) => hideSecrets(`see ${value}\nhere`) !== `see ${value}\nhere`);
    assert.deepEqual(changed, []);
  });

  it("are hidden in the message of a service, in its code and in its content type", () => {
    for (const { name, value, secret } of Object.values(secretValues)) {
      const body = Buffer.from(JSON.stringify({ error: { code: `Bad: ${value}`, message: `got ${value}` } }));
      for (const response of [
        { status: 400, contentType: "application/json", body },
        { status: 502, contentType: `text/html; ${value}`, body: Buffer.from("<html>") },
      ]) {
        const failure = failureOfResponse(response, {
          request: { name: "getData", mayRepeat: true },
          notExecutedCodes: [],
        });
        const { problem = "", said = "", code = "" } = failure ?? {};
        assert.ok(name !== undefined || ![problem, said, code].some((text) => text.includes(secret)), problem);
      }
    }
  });

  it("leave the rest of the text as it is, and hide nothing twice", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...Object.values(secretValues)), { maxLength: 4 }), (values) => {
        const once = hideSecrets(values.map(({ value }) => `<${value}>`).join("\n"));
        assert.equal(hideSecrets(once), once);
      }),
    );
  });

  slowIt("take hostile strings of any length, in linear time", () => {
    for (const { text } of allHostileStrings) {
      assert.equal(typeof hideSecrets(text), "string");
    }
    // With quadratic time, these would take minutes.
    const pieces = ["eyJ-", "a:", "a.", "://", "password=\\", "Bearer ", "-----BEGIN PRIVATE KEY-----", '"', "://a@"];
    for (const piece of [...pieces, "authorization:{", 'token:"{\\', "token:'", "x:y,", "password: a b "]) {
      hideSecrets(piece.repeat(200_000 / piece.length));
    }
  });
});
