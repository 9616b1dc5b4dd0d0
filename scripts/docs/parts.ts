/**
 * Generated parts of hand-written pages: `<!-- COMMAND: NAME -->`, then the part, then `<!-- end -->`. All other text of the page is written by hand.
 */

export interface Parts {
  /** What writes the parts, for example `npm run docs`. */
  command: string;
  /** The parts that the page must have, by name. */
  required: Readonly<Record<string, string>>;
  /** The parts that the page can have. */
  optional?: Readonly<Record<string, string>>;
}

/** The page with these parts. Throws if the page lacks a required part, or has a part of another name. */
export function withParts(page: string, { command, required, optional = {} }: Parts): string {
  const mark = `<!-- ${command}: `;
  const end = "<!-- end -->";
  const [before = "", ...rest] = page.split(new RegExp(`^${mark}`, "m"));
  const missing = new Set(Object.keys(required));
  const written = rest.map((section) => {
    const [name = ""] = section.split(" -->\n", 1);
    const part = required[name] ?? optional[name];
    if (part === undefined) {
      const known = Object.keys({ ...required, ...optional }).map((each) => `"${each}"`);
      throw new Error(`has the part "${name}"; ${command} writes ${known.join(", ")}`);
    }
    const to = section.indexOf(end);
    if (to < 0) {
      throw new Error(`lacks the line ${end} after the part "${name}"`);
    }
    missing.delete(name);
    return `${mark}${name} -->\n\n${part.trim()}\n\n${section.slice(to)}`;
  });
  for (const name of missing) {
    throw new Error(`lacks the part ${mark}${name} --> ${end}`);
  }
  return [before, ...written].join("");
}

/** A Markdown list of named things: the name, its type and default in brackets, and its meaning. */
export function list(rows: readonly (readonly [name: string, brackets: string, meaning: string])[]): string {
  return rows
    .map(([name, brackets, meaning]) => `- \`${name}\`${brackets === "" ? "" : ` (${brackets})`}: ${meaning}`)
    .join("\n");
}

/** A Markdown table. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(titles), `|${"---|".repeat(titles.length)}`, ...rows.map(line)].join("\n");
}
