import assert from "node:assert/strict";
import { ServiceClient } from "../../src/service/index";

const names = ["accessToken", "refreshToken", "apiKey"] as const;
/** What a script leaves in place of a credential, and what the error says. */
const faults: Record<string, RegExp> = {
  '"hunter2"': /is in quotes\. Remove them\./,
  "'hunter2'": /is in quotes/,
  $TOKEN: /is the name of a variable/,
  "${HUNTER2}": /is the name of a variable/,
  "${{ secrets.HUNTER2 }}": /is the name of a variable/,
  "$(HUNTER2)": /is the name of a variable/,
  "%HUNTER2%": /is the name of a variable/,
  "<hunter2>": /is the name of a variable/,
  "***": /is what hides a value/,
  "[secret]": /is what hides a value/,
  null: /is a word for no value/,
  undefined: /is a word for no value/,
  None: /is a word for no value/,
  "hunter2\n": /contains a space, a line break/,
  "hun ter2": /contains a space, a line break/,
};

describe("a credential that is none, by what it looks like", () => {
  for (const [value, said] of Object.entries(faults)) {
    it(`is refused before the first request and not shown: ${JSON.stringify(value)}`, () => {
      for (const name of names) {
        assert.throws(
          () => new ServiceClient({ baseUrl: "https://one.test", [name]: value }),
          ({ message }: Error) => said.test(message) && message.includes(name) && !/hunter2|hun ter2/i.test(message),
        );
      }
    });
  }

  it("is none of the shapes that credentials have", () => {
    for (const value of [
      "eyJhbGciOi.eyJzdWIi.c2ln",
      "a$b",
      "nullable",
      "sk_live_0",
      "a{b}c",
      "100%",
      "$apr1$salt$hash",
    ]) {
      const client = new ServiceClient({ baseUrl: "https://one.test", accessToken: value, apiKey: value });
      assert.equal(client.describeCredentials().source, "accessToken", value);
      client.close();
    }
  });
});
