import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A place where a needle was found. */
export interface Finding {
  /** Path of the file, or a name for text outside of files. */
  where: string;
  /** The needle that was found. */
  needle: string;
  /** The encoding in which it was found. */
  form: string;
}

const minLength = 6;

/** Searches every file under `folder` for each needle, also in the usual encodings. Does not follow links. */
export function findInFolder(folder: string, needles: readonly string[]): Finding[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      return findInFolder(path, needles);
    }
    return entry.isFile() ? findInText(path, readFileSync(path).toString("latin1"), needles) : [];
  });
}

/** Searches one text. `where` is its name in the result. */
export function findInText(where: string, text: string, needles: readonly string[]): Finding[] {
  return needles.flatMap((needle) =>
    [...formsOf(needle)].filter(([, written]) => text.includes(written)).map(([form]) => ({ where, needle, form })),
  );
}

function formsOf(needle: string): Map<string, string> {
  const bytes = Buffer.from(needle, "utf8");
  const forms = new Map([
    ["as it is", needle],
    ["as bytes", bytes.toString("latin1")],
    ["in JSON", JSON.stringify(needle).slice(1, -1)],
    ["in a URL", encodeURIComponent(needle)],
    ["in hex", bytes.toString("hex")],
    // The bytes before the needle shift its base64 characters, so there are three possible encodings.
    ["in base64", base64Middle(bytes, 0)],
    ["in base64, shifted by one", base64Middle(bytes, 1)],
    ["in base64, shifted by two", base64Middle(bytes, 2)],
  ]);
  // The remaining characters of a short needle would occur everywhere.
  return new Map([...forms].filter(([form, written]) => form === "as it is" || written.length >= minLength));
}

/** The base64 characters that depend only on the needle, with `shift` bytes in front of it. */
function base64Middle(bytes: Buffer, shift: number): string {
  const whole = Buffer.concat([Buffer.alloc(shift), bytes]);
  const from = shift === 0 ? 0 : 4;
  const groups = Math.floor(whole.length / 3);
  return whole.toString("base64").slice(from, groups * 4);
}
