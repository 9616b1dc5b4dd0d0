import type { ServiceClient } from "../../../service/client";
import type { Finding } from "../../findings/findings";

/**
 * Proxies that can send one request twice, each with what to check in its settings. Seen with the proxies themselves.
 */
const repeating: Readonly<Record<string, string>> = {
  Varnish:
    'it repeats a POST without a body, such as a copy, on a kept connection: its vcl_recv needs return (pipe) if req.method is "POST"',
  nginx: "proxy_next_upstream must not contain non_idempotent",
  Envoy: "retry_on must not contain 5xx, gateway-error or reset for POST",
  HAProxy: "with retry-on, it needs http-request disable-l7-retry if METH_POST",
};

/**
 * Whether the responses so far name a proxy that can repeat requests, or come from a cache. Only names are shown: the
 * headers can name hosts.
 */
export async function onTheWay({
  client: { answeredBy = "", cacheAge },
}: {
  client: Pick<ServiceClient, "answeredBy" | "cacheAge">;
}): Promise<Pick<Finding, "found" | "remedy"> & Partial<Pick<Finding, "is">>> {
  const named = Object.keys(repeating).filter((name) => answeredBy.toLowerCase().includes(name.toLowerCase()));
  const page = "docs/explanation/lost-responses.md lists the options.";
  if (cacheAge !== undefined) {
    const found = `A cache sent a response that it had stored ${cacheAge} s before.`;
    return { is: "problem", found, remedy: `Exclude the service from the cache. ${page}` };
  }
  if (named.length === 0) {
    return { found: "No header names a proxy that can send a request twice. A proxy need not name itself." };
  }
  return {
    is: "warning",
    found: `Headers name ${named.join(" and ")}, which can send a request twice.`,
    remedy: `Check the proxy. ${named.map((name) => `${name}: ${repeating[name]}.`).join(" ")} ${page}`,
  };
}
