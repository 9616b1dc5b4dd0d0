import { parsedUrl } from "./parsedUrl";

/**
 * What a service is: its address in the one form that all spellings of it share. Lower-case host, no default port, no
 * dots and no needless percent-encoding in the path, no slash at the end. The path counts: one gateway can have several
 * services. The usual names of this machine are one host: `localhost`, `127.0.0.1` and `[::1]`. All other names stay
 * different, because only a resolver knows which of them are one host: `127.0.0.2` can be another service. Returns a
 * text that is not a URL as it is.
 */
export function serviceAddress(baseUrl: string): string {
  const url = parsedUrl(baseUrl);
  if (url === undefined || url.host === "") return baseUrl;
  const port = url.port === "" ? "" : `:${url.port}`;
  const path = url.pathname.replace(/%[0-9a-f]{2}/gi, withoutNeed).replace(/(?<!\/)\/+$/, "");
  const host = url.hostname.replace(/\.$/, "");
  return `${url.protocol}//${thisMachine.includes(host) ? thisMachine[0] : host}${port}${path}`;
}

const thisMachine = ["127.0.0.1", "localhost", "[::1]"];

/** How earlier versions wrote an address into the names of what they stored, and how this one does. */
export function spellingsOf(baseUrl: string): string[] {
  const address = serviceAddress(baseUrl);
  const { hostname } = parsedUrl(address) ?? {};
  const names = hostname === thisMachine[0] ? thisMachine : [];
  return [asWritten(baseUrl), address, ...names.map((name) => address.replace(thisMachine[0] ?? "", name))];
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
