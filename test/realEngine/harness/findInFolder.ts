import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A place where something was written that should not be. */
export interface Finding {
  /** Path of the file, or a name for text that is in none. */
  where: string;
  /** Which of the needles. */
  needle: string;
  /** How it was written down. */
  form: string;
}

const minLength = 6;

/** Looks into every file under `folder` for each needle, also in the forms in which texts usually travel. Links are not followed. */
export function findInFolder(folder: string, needles: readonly string[]): Finding[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      return findInFolder(path, needles);
    }
    return entry.isFile() ? findInText(path, readFileSync(path).toString("latin1"), needles) : [];
  });
}

/** The same for one text, which is called `where` in what is found. */
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
    // What stands before the needle shifts the letters of base64: one form for each of the three ways.
    ["in base64", base64Middle(bytes, 0)],
    ["in base64, shifted by one", base64Middle(bytes, 1)],
    ["in base64, shifted by two", base64Middle(bytes, 2)],
  ]);
  // What is left of a short needle stands everywhere.
  return new Map([...forms].filter(([form, written]) => form === "as it is" || written.length >= minLength));
}

/** The letters that are the needle's alone, with `shift` bytes in front of it. */
function base64Middle(bytes: Buffer, shift: number): string {
  const whole = Buffer.concat([Buffer.alloc(shift), bytes]);
  const from = shift === 0 ? 0 : 4;
  const groups = Math.floor(whole.length / 3);
  return whole.toString("base64").slice(from, groups * 4);
}
