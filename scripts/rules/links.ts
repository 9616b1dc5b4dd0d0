import { posix } from "node:path";
import Slugger from "github-slugger";
import MarkdownIt from "markdown-it";
import type { Project, Source } from "./project";

/** A link or a picture in a page. */
interface Link {
  line: number;
  target: string;
}

interface Page {
  /** The names that a link can have after `#`: the anchors of headings on GitHub, and the ids of HTML elements. */
  anchors: ReadonlySet<string>;
  links: readonly Link[];
}

const markdown = new MarkdownIt({ html: true });

/** Each link within the repository leads to a file, and to a heading where it names one. Links to other sites are not fetched. */
export function linksResolve(project: Project): string[] {
  const pages = new Map(project.pages.map((source) => [source.path, pageOf(source)]));
  return [...pages].flatMap(([path, { links }]) =>
    links.flatMap(({ line, target }) => {
      const problem = problemOf(target, path, pages, project);
      return problem === undefined ? [] : [`${path}:${line} links to ${target}: ${problem}`];
    }),
  );
}

/** Each page that a message of the package names exists, with its heading. */
export function pagesOfMessagesExist(project: Project): string[] {
  const pages = new Map(project.pages.map((source) => [source.path, pageOf(source)]));
  return project.sources
    .filter(({ path }) => /^(?:(?:cli|plugin)\/)?src\//.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/\bmoreAt\(\s*"([^"]*)"/g)].flatMap(([, target = ""]) => {
        const problem = target.includes("#")
          ? problemOf(target, "docs/README.md", pages, project)
          : "it names no heading";
        return problem === undefined ? [] : [`${path} leads to docs/${target}: ${problem}`];
      }),
    );
}

/** Each module that a page for contributors names exists: with its whole path, or with the end of it. */
export function namedModulesExist({ pages, sources }: Project): string[] {
  const isThere = (name: string): boolean => sources.some(({ path }) => path === name || path.endsWith(`/${name}`));
  return pages
    .filter(({ path }) => /^(?:CONTRIBUTING|(?:src|cli|plugin|emulator)\/README|contributing\/.*)\.md$/.test(path))
    .flatMap(({ path, text }) =>
      text.split("\n").flatMap((line, index) => {
        const names = [...line.matchAll(/`([\w./-]+\.ts)`/g)].map(([, name = ""]) => name);
        return names
          .filter((name) => !isThere(name))
          .map((name) => `${path}:${index + 1} names ${name}: there is no such file`);
      }),
    );
}

function problemOf(
  target: string,
  from: string,
  pages: ReadonlyMap<string, Page>,
  project: Project,
): string | undefined {
  if (/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(target)) {
    return undefined;
  }
  const [file = "", anchor] = target.split("#").map(decodeURIComponent);
  const to = file === "" ? from : posix.join(file.startsWith("/") ? "." : posix.dirname(from), file);
  if (to.startsWith("..") || !project.exists(to)) {
    return "there is no such file";
  }
  const page = pages.get(to);
  return anchor === undefined || page === undefined || page.anchors.has(anchor)
    ? undefined
    : "the page has no such heading";
}

function pageOf({ text }: Source): Page {
  const slugger = new Slugger();
  const anchors = new Set<string>();
  const links: Link[] = [];
  const tokens = markdown.parse(text, {});
  let line = 0;
  for (const [index, block] of tokens.entries()) {
    line = (block.map?.[0] ?? line - 1) + 1;
    const inline = block.children ?? [];
    if (tokens[index - 1]?.type === "heading_open") {
      const words = inline.filter(({ type }) => type === "text" || type === "code_inline");
      anchors.add(slugger.slug(words.map(({ content }) => content).join("")));
    }
    for (const token of [block, ...inline]) {
      const isHtml = token.type === "html_block" || token.type === "html_inline";
      const attributes = isHtml ? htmlAttributes(token.content) : (token.attrs ?? []);
      for (const [name, value] of attributes) {
        if (name === "id") anchors.add(value);
        if (name === "href" || name === "src") links.push({ line, target: value });
      }
    }
  }
  return { anchors, links };
}

function htmlAttributes(html: string): [string, string][] {
  return [...html.matchAll(/\b(id|href|src)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]);
}
