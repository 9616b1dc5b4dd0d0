/** Options for fetching the pages of a run. */
export interface PageOptions {
  /** Whether pages, links and redirects outside of this machine are allowed. */
  allowRemotePages: boolean;
  /** Timeout of one page with its redirects, in milliseconds. */
  timeoutMs: number;
}

/** A page before it is parsed. */
export interface FetchedPage {
  /** The URL after redirects. */
  url: string;
  bytes: Buffer;
  /** From the Content-Type header. The page can declare another one. */
  charset: string | undefined;
}

const mostRedirects = 5;
const mostBytes = 10 * 1024 * 1024;

/** @throws Error with the reason why the page could not be read, without its content. */
export async function fetchPage(url: string, options: PageOptions, signal: AbortSignal): Promise<FetchedPage> {
  const ends = AbortSignal.any([signal, AbortSignal.timeout(options.timeoutMs)]);
  let target = url;
  for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
    const allowed = checkUrl(target, options);
    const response = await fetchOnce(allowed, options, ends);
    const location = response.headers.get("location");
    if (response.status < 300 || response.status >= 400 || location === null) return readBody(allowed.href, response);
    await response.body?.cancel();
    target = new URL(location, allowed).href;
  }
  throw new Error(`more than ${mostRedirects} redirects`);
}

function checkUrl(text: string, { allowRemotePages }: PageOptions): URL {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new Error("not an absolute URL");
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") throw new Error("only http and https can be opened");
  if (!allowRemotePages && !isLoopback(url.hostname)) {
    throw new Error(`${url.hostname} is outside of this machine; remote pages are not allowed`);
  }
  return url;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}

async function fetchOnce(url: URL, { timeoutMs }: PageOptions, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, { redirect: "manual", signal, headers: { accept: "text/html" } });
  } catch (error) {
    if (error instanceof Error && error.name === "TimeoutError") throw new Error(`no response within ${timeoutMs} ms`);
    const cause = error instanceof Error ? error.cause : undefined;
    const reason = cause instanceof Error ? ("code" in cause ? String(cause.code) : cause.message) : "no reason given";
    throw new Error(`could not be fetched (${reason})`);
  }
}

async function readBody(url: string, response: Response): Promise<FetchedPage> {
  const type = response.headers.get("content-type") ?? "";
  if (!response.ok || !/^(text\/html|application\/xhtml\+xml)\b/i.test(type)) {
    await response.body?.cancel();
    throw new Error(
      response.ok ? `not a page: ${type === "" ? "no content type" : type}` : `status ${response.status}`,
    );
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > mostBytes) throw new Error(`larger than ${mostBytes} bytes`);
    chunks.push(chunk);
  }
  return { url, bytes: Buffer.concat(chunks), charset: /charset="?([\w-]+)/i.exec(type)?.[1] };
}
