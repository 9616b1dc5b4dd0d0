import { lookup } from "node:dns/promises";

/** Options for fetching the pages of a run. */
export interface PageOptions {
  /** Whether pages, links and redirects outside of this machine are allowed. */
  allowRemotePages: boolean;
  /** Timeout of loading one page with its redirects, and of reading it, in milliseconds. */
  timeoutMs: number;
  /** Memory for reading one page, in megabytes. */
  memoryMb: number;
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

/** @throws Error with the reason why the page could not be loaded, without its content. */
export async function fetchPage(url: string, options: PageOptions, signal: AbortSignal): Promise<FetchedPage> {
  const ends = AbortSignal.any([signal, AbortSignal.timeout(options.timeoutMs)]);
  try {
    // A body that cannot be decoded may end neither the read nor its cancellation, so nothing relies on either.
    return await Promise.race([followRedirects(url, options, ends), aborted(ends)]);
  } catch (error) {
    throw new Error(reasonOf(error, options));
  }
}

async function followRedirects(url: string, options: PageOptions, signal: AbortSignal): Promise<FetchedPage> {
  let target = url;
  for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
    const allowed = await checkUrl(target, options);
    const response = await fetch(allowed, { redirect: "manual", signal, headers: { accept: "text/html" } });
    const location = response.headers.get("location");
    if (response.status < 300 || response.status >= 400 || location === null) return readBody(allowed.href, response);
    discard(response);
    target = new URL(location, allowed).href;
  }
  throw new PageError(`more than ${mostRedirects} redirects`);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** A reason that needs no translation. */
class PageError extends Error {}

function reasonOf(error: unknown, { timeoutMs }: PageOptions): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof PageError) return error.message;
  if (error.name === "TimeoutError") return `no complete response within ${timeoutMs} ms`;
  // fetch puts the reason into `cause`.
  const cause = error.cause instanceof Error ? error.cause : error;
  return `could not be fetched (${"code" in cause ? String(cause.code) : cause.message})`;
}

/** Ends a response whose body is not needed. */
function discard(response: Response): void {
  response.body?.cancel().catch(() => undefined);
}

async function checkUrl(text: string, { allowRemotePages }: PageOptions): Promise<URL> {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new PageError("not an absolute URL");
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") throw new PageError("only http and https can be opened");
  if (!allowRemotePages && !(await isThisMachine(url.hostname))) {
    throw new PageError(`${url.hostname} is outside of this machine; remote pages are not allowed`);
  }
  return url;
}

/** A name below localhost counts only if every address of it is a loopback address: a resolver can send it anywhere. */
async function isThisMachine(host: string): Promise<boolean> {
  if (host !== "localhost" && !host.endsWith(".localhost")) return isLoopback(host.replace(/^\[(.*)\]$/, "$1"));
  const addresses = await lookup(host, { all: true });
  return addresses.every(({ address }) => isLoopback(address));
}

function isLoopback(address: string): boolean {
  return address === "::1" || /^127(\.\d{1,3}){3}$/.test(address);
}

async function readBody(url: string, response: Response): Promise<FetchedPage> {
  const type = response.headers.get("content-type") ?? "";
  if (!response.ok || !/^(text\/html|application\/xhtml\+xml)\b/i.test(type)) {
    discard(response);
    throw new PageError(
      response.ok ? `not a page: ${type === "" ? "no content type" : type}` : `status ${response.status}`,
    );
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > mostBytes) throw new PageError(`larger than ${mostBytes} bytes`);
    chunks.push(chunk);
  }
  return { url, bytes: Buffer.concat(chunks), charset: /charset="?([\w-]+)/i.exec(type)?.[1] };
}
