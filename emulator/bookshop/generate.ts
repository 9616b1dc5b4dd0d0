/**
 * Writes the pages of the bookshop from books.json: `npx tsx emulator/bookshop/generate.ts`. The pages are committed; change books.json
 * and run this again, or edit a page by hand to see what a run makes of it. All links are relative, so that the pages can be served below
 * any path.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

interface Shelf {
  slug: string;
  name: string;
  perPage: number;
}

interface Book {
  sku: string;
  shelf: string;
  /** `*…*` is emphasised on the pages. */
  title: string;
  author?: string;
  price?: string;
  currency: string;
  isbn?: string;
  pages?: number;
  year: number;
  publisher?: string;
  stock: string;
  blurb: string;
  lang?: string;
  noCover?: boolean;
  /** Its own page does not exist, as happens in real shops. */
  deadLink?: boolean;
}

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const text = (value: string) => value.replace(/[&<>"]/g, (character) => escapes[character] ?? character);
const emphasised = (title: string) => text(title).replace(/\*(.+?)\*/g, "<em>$1</em>");
const plain = (title: string) => title.replaceAll("*", "");
const line = (present: unknown, html: string) => (present === undefined || present === false ? "" : `\n${html}`);

/** @param root the relative link from the page to the folder of all pages. */
function layout(root: string, title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${text(title)} · Uferlicht Books</title>
  <link rel="stylesheet" href="${root}assets/shop.css">
</head>
<body>
<header><a class="brand" href="${root}">Uferlicht <span>Books &amp; Bücher</span></a></header>
<main>
${body}
</main>
<footer>Uferlicht Books, Hafenstraße 3 · an invented shop</footer>
</body>
</html>
`;
}

function listItem(book: Book): string {
  const cover = `    <img class="cover" src="../../assets/cover.svg" alt="Cover of ${text(plain(book.title))}">`;
  const price = `    <p class="price"><span class="amount">${book.price}</span> <span class="currency">${book.currency}</span></p>`;
  return `  <li class="book" data-sku="${book.sku}"><article${book.lang ? ` lang="${book.lang}"` : ""}>${line(!book.noCover, cover)}
    <h2 class="title"><a href="../../books/${book.sku.toLowerCase()}.html">${emphasised(book.title)}</a></h2>${line(book.price, price)}
  </article></li>`;
}

const pageName = (number: number) => (number === 1 ? "index.html" : `page-${number}.html`);

function shelfPages(shelf: Shelf, books: Book[]): [file: string, html: string][] {
  const count = Math.ceil(books.length / shelf.perPage);
  return Array.from({ length: count }, (_, index) => {
    const number = index + 1;
    const items = books.slice(index * shelf.perPage, number * shelf.perPage).map(listItem);
    const back = number > 1 ? `\n  <a class="previous" rel="prev" href="${pageName(number - 1)}">Previous</a>` : "";
    const next = number < count ? `\n  <a class="next" rel="next" href="${pageName(number + 1)}">Next</a>` : "";
    const body = `<h1>${text(shelf.name)}</h1>
<ul class="books">
${items.join("\n")}
</ul>
<nav class="pages">${back}
  <span>Page ${number} of ${count}</span>${next}
</nav>`;
    return [`shelves/${shelf.slug}/${pageName(number)}`, layout("../../", `${shelf.name}, page ${number}`, body)];
  });
}

function bookPage(book: Book): string {
  const body = `<article class="detail" data-sku="${book.sku}"${book.lang ? ` lang="${book.lang}"` : ""}>
  <h1>${emphasised(book.title)}</h1>${line(book.author, `  <p class="author">by <a href="../"><span>${text(book.author ?? "")}</span></a></p>`)}
  <dl>${line(book.isbn, `    <dt>ISBN</dt><dd class="isbn">${book.isbn}</dd>`)}${line(book.pages, `    <dt>Pages</dt><dd class="length">${book.pages}</dd>`)}
    <dt>Year</dt><dd class="year">${book.year}</dd>
    <dt>Availability</dt><dd class="stock">
      <strong>${text(book.stock)}</strong>
    </dd>
  </dl>
  <p class="blurb">${text(book.blurb)}</p>${line(book.publisher, `  <p><a class="publisher" href="${book.publisher}">The publisher's page</a></p>`)}
</article>`;
  return layout("../", plain(book.title), body);
}

function homePage(shelves: Shelf[]): string {
  const links = shelves.map(({ slug, name }) => `  <li><a href="shelves/${slug}/">${text(name)}</a></li>`);
  return layout(
    "./",
    "Welcome",
    `<h1>What are you looking for?</h1>\n<ul class="shelves">\n${links.join("\n")}\n</ul>`,
  );
}

/** Served at every address without a page, so it has no relative link. */
const notFoundPage = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <title>Not found · Uferlicht Books</title>
</head>
<body>
<h1>Not here</h1>
<p>This page does not exist.</p>
</body>
</html>
`;

/** All pages of the shop by their path below the site's folder. */
export function generatePages(): Map<string, string> {
  const { shelves, books }: { shelves: Shelf[]; books: Book[] } = JSON.parse(
    readFileSync(join(__dirname, "books.json"), "utf8"),
  );
  return new Map([
    ["index.html", homePage(shelves)],
    ["404.html", notFoundPage],
    ...shelves.flatMap((shelf) =>
      shelfPages(
        shelf,
        books.filter((book) => book.shelf === shelf.slug),
      ),
    ),
    ...books
      .filter((book) => !book.deadLink)
      .map((book): [string, string] => [`books/${book.sku.toLowerCase()}.html`, bookPage(book)]),
  ]);
}

if (require.main === module) {
  const folder = join(__dirname, "pages");
  for (const part of ["books", "shelves"]) rmSync(join(folder, part), { recursive: true, force: true });
  const pages = generatePages();
  for (const [file, html] of pages) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), html);
  }
  console.log(`${pages.size} pages in ${folder}`);
}
