import { inert } from "../renderReport";

/** Text of this program that is markup. Every other string that becomes part of a page is escaped. */
export class Markup {
  constructor(readonly text: string) {}
}

type Content = Markup | string | readonly Content[];

/**
 * Markup with text in it, which cannot become markup, hides what looks like a secret, and has no invisible characters.
 */
export function html(parts: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  return new Markup(parts.map((part, index) => part + textOf(contents[index] ?? "")).join(""));
}

function textOf(content: Content): string {
  if (content instanceof Markup) {
    return content.text;
  }
  return typeof content === "string" ? escaped(inert(content)) : content.map(textOf).join("");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] as string);
}

/** Characters of a value. */
const longestShown = 300;

/**
 * A name or a value of others, whose direction changes nothing around it. What looks like a secret is hidden before the
 * cut, because half of one could not be found.
 */
export function foreignText(text: string): Markup {
  const whole = inert(text);
  return html`<bdi>${whole.length > longestShown ? `${whole.slice(0, longestShown)}…` : whole}</bdi>`;
}
