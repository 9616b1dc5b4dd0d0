/** A section of the changelog: a version, or what is not released yet. */
export interface Section {
  /** The version, or `Unreleased`. */
  version: string;
  /** The day of the release, after the version, such as `2026-01-31`. */
  date?: string;
  /** The text below the heading. */
  body: string;
}

/** The sections of a changelog, in the form of Keep a Changelog: `## 1.2.3 - 2026-01-31`. */
export function sectionsOf(changelog: string): Section[] {
  return changelog
    .split(/^## /m)
    .slice(1)
    .map((text) => {
      const [heading = "", ...lines] = text.split("\n");
      const [version = "", date] = heading.trim().split(" - ");
      return { version: version.replace(/[[\]]/g, ""), date, body: lines.join("\n").trim() };
    });
}
