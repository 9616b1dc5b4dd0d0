/** How the engine writes values that JSON does not have, in its protocol and in `pulumi preview --json`. */

/** Stands for an unknown value in a preview, at any depth. */
export const unknownText = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** The engine takes each of them for an unknown value: the first one of any type, the others of one type. */
export const unknownTexts: readonly string[] = [
  unknownText,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
];

export function isUnknownText(value: unknown): boolean {
  return typeof value === "string" && unknownTexts.includes(value);
}

/** The key of a map that is a secret, a file or a reference to a resource. */
export const kindKey = "4dabf18193072939515e22adb298388d";
