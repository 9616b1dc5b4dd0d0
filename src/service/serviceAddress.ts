import { parsedUrl } from "./parsedUrl";

/**
 * What a service is: its address in the one form that all spellings of it share. Lower-case host, no default port, no
 * dots and no needless percent-encoding in the path, no slash at the end. The path counts: one gateway can have several
 * services. A text that is no URL stays as it is.
 */
export function serviceAddress(baseUrl: string): string {
  const url = parsedUrl(baseUrl);
  if (url === undefined || url.host === "") return baseUrl;
  const port = url.port === "" ? "" : `:${url.port}`;
  const path = url.pathname.replace(/%[0-9a-f]{2}/gi, withoutNeed).replace(/(?<!\/)\/+$/, "");
  return `${url.protocol}//${url.hostname.replace(/\.$/, "")}${port}${path}`;
}

/** `~` for `%7e`, and `%2F` for `%2f`, as RFC 3986 says that they mean the same. */
function withoutNeed(encoded: string): string {
  const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
  return /[\w.~-]/.test(character) ? character : encoded.toUpperCase();
}

/**
 * Whether a state or an entry of the journal names a service. Earlier versions wrote the origin only, without the path:
 * that can be each service below it.
 * @param service the form of {@link serviceAddress}
 */
export function namesSameService(written: string, service: string): boolean {
  const address = serviceAddress(written);
  return address === service || address === parsedUrl(service)?.origin;
}

/** The address as earlier versions wrote it into the names of what they stored. */
export function asWritten(baseUrl: string): string {
  return baseUrl.replace(/(?<!\/)\/+$/, "");
}
