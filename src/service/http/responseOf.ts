import type { IncomingHttpHeaders } from "node:http";
import type { HttpResponse } from "../errors/failures";
import { parsedUrl } from "../parsedUrl";

/** The headers with which servers, proxies and caches name themselves. */
const naming = { server: "Server", via: "Via", "x-varnish": "X-Varnish" } as const;

/** The parts of a response that the client reads. */
export function responseOf(url: string, status: number, headers: IncomingHttpHeaders, body: Buffer): HttpResponse {
  const names = Object.entries(naming).flatMap(([name, shown]) =>
    headers[name] ? [`${shown}: ${headers[name]}`] : [],
  );
  return {
    status,
    contentType: headers["content-type"] ?? "",
    retryAfter: headers["retry-after"],
    date: headers.date,
    location: targetOf(headers.location, url),
    challenge: headers["www-authenticate"],
    age: Number.parseInt(headers.age ?? "", 10) || 0,
    answeredBy: names.length === 0 ? undefined : names.join(", "),
    rateHeaders: Object.keys(headers).filter((name) => /^(?:x-)?rate-?limit|^retry-after$/.test(name)),
    body,
  };
}

/** The target of a redirect without its query, which can hold a secret. */
function targetOf(location: string | undefined, url: string): string | undefined {
  const target = location === undefined ? undefined : parsedUrl(location, url);
  return target === undefined || target.origin === "null" ? undefined : target.origin + target.pathname;
}
