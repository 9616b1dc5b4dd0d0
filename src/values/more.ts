/**
 * The last line of a message: a page of `docs`, with its anchor, for the other ways. `npm run check` looks the anchor
 * up.
 */
export function moreAt(page: string): string {
  return `More: https://github.com/pulumi-webextract/pulumi-webextract/blob/main/docs/${page}`;
}
