import { parsedUrl } from "../parsedUrl";

/** A proxy between this process and the service. */
export interface ProxyServer {
  /** Without user name and password, so that messages can contain the address. */
  readonly url: URL;
  readonly user?: { readonly username: string; readonly password: string };
}

/** Parses the value of a proxy variable. Undefined if the value is not the address of an http or https proxy. */
export function proxyOf(address: string): ProxyServer | undefined {
  const url = parsedUrl(address);
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:") || url.hostname === "")
    return undefined;
  const username = decoded(url.username);
  const password = decoded(url.password);
  if (username === undefined || password === undefined) return undefined;
  url.username = "";
  url.password = "";
  return { url, user: username === "" && password === "" ? undefined : { username, password } };
}

/** The secrets of a proxy, which messages must not contain. */
export function secretsOf(proxy: ProxyServer | undefined): string[] {
  if (proxy?.user === undefined) return [];
  const { username, password } = proxy.user;
  return [password, `${username}:${password}`];
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
