import assert from "node:assert/strict";
import Ajv from "ajv";
import addFormats from "ajv-formats";
import fc, { runs } from "../../../fastCheck";
import type { FieldType } from "../../../internals/resources";
import { isFilled, isOfType } from "../../../internals/resources";

describe("the value of a field", () => {
  it("is filled unless it is missing, null or blank", () => {
    for (const value of [undefined, null, "", " ", "\n\t", "\u00a0", "\ufeff"]) {
      assert.equal(isFilled(value), false);
    }
    for (const value of ["0", 0, false, [], {}, " x "]) {
      assert.equal(isFilled(value), true);
    }
  });

  const cases: Record<FieldType, { valid: unknown[]; invalid: unknown[] }> = {
    number: {
      valid: [0, -1.5, "0", "12.50", "-3", "1e6", "1.5E-3", "12345678901234567890"],
      invalid: ["1,299", "$5", "5 €", "1.", ".5", "+1", "007", "0x1F", "NaN", " 5", true, [1]],
    },
    integer: {
      valid: [3, -3, "0", "12", "-3", "12345678901234567890"],
      invalid: [1.5, "1.0", "1e3", "007", "+1", " 1", true, "12a"],
    },
    date: {
      valid: ["2026-11-21", "2024-02-29", "2000-02-29", "2026-11-21T08:30:00Z", "2026-11-21t08:30:00.123+02:00"],
      invalid: [
        "2026-02-29",
        "1900-02-29",
        "2026-13-01",
        "2026-04-31",
        "2026-00-01",
        "2026-11-00",
        "21.11.2026",
        "2026-11-21T08:30:00",
        "2026-11-21T24:00:00Z",
        "2026-11-21T25:59:00+02:00",
        "2026-11-21 08:30:00Z",
        "2026-11-21T08:30Z",
        "2026-11-21T",
        "2026-11-21 2026-11-22",
        20261121,
      ],
    },
    url: {
      valid: ["https://shop.test/a?b=c#d", "HTTP://shop.test", "http://user@shop.test:8080/", "https://shop.test/ü"],
      invalid: [
        "shop.test",
        "/path",
        "//shop.test/",
        "http:shop.test",
        "ftp://shop.test/",
        "https://",
        "https://a b/",
        " https://shop.test/",
        "mailto:a@shop.test",
        1,
      ],
    },
  };

  for (const [type, { valid, invalid }] of Object.entries(cases)) {
    it(`has the type ${type}`, () => {
      const fits = isOfType[type as FieldType];
      assert.deepEqual(
        valid.filter((value) => !fits(value)),
        [],
      );
      assert.deepEqual(invalid.filter(fits), []);
    });
  }

  it("is a date for JSON Schema if it is one here", () => {
    const ajv = addFormats(new Ajv({ strictTypes: false }));
    const validate = ajv.compile({ anyOf: [{ format: "date" }, { format: "date-time" }] });
    const digits = (most: number) => fc.nat(most).map((each) => String(each).padStart(2, "0"));
    const date = fc
      .tuple(fc.constantFrom("1900", "2000", "2024", "2026"), digits(13), digits(32))
      .map((all) => all.join("-"));
    // No hour above 24: ajv-formats takes 25:59:00+02:00 for a leap second, for it is 23:59 in UTC.
    const time = fc.tuple(digits(24), digits(61), digits(59)).map((all) => all.join(":"));
    const offset = fc.constantFrom("Z", "z", "+02:00", "-23:59", "+24:00", "", ".5Z");
    const text = fc.oneof(
      date,
      fc.tuple(date, fc.constantFrom("T", "t"), time, offset).map((all) => all.join("")),
    );
    fc.assert(
      fc.property(text, (each) => {
        assert.equal(isOfType.date(each), validate(each), each);
      }),
      runs(1000),
    );
  });

  it("is a number here if JSON can parse it as one", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = JSON.stringify(value);
        assert.equal(isOfType.number(text), true, text);
        assert.equal(isOfType.integer(value), Number.isInteger(value));
      }),
    );
  });
});
