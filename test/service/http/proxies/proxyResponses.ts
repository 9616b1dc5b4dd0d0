/** A response that a proxy sends in place of the service. */
export interface ProxyResponse {
  /** What the proxy is set to do. */
  name: string;
  status: number;
  headers: Record<string, string>;
  body: string;
}

const page = (title: string, server: string) =>
  `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n<hr><center>${server}</center>\r\n</body>\r\n</html>\r\n`;

const nginx = { server: "nginx/1.22.1", "content-type": "text/html" };
const squid = { server: "squid/5.7", via: "1.1 proxy (squid/5.7)", "content-type": "text/html;charset=utf-8" };

/** Each came after the service had made a copy. `realProxies.slow.test.ts` gets the first four from the proxies themselves. */
export const afterTheEffect: readonly ProxyResponse[] = [
  {
    name: "nginx with an error_page whose file is missing",
    status: 404,
    headers: nginx,
    body: page("404 Not Found", "nginx/1.22.1"),
  },
  {
    name: "nginx with an error_page that is a named location",
    status: 405,
    headers: nginx,
    body: page("405 Not Allowed", "nginx/1.22.1"),
  },
  {
    name: "Apache with an ErrorDocument that the service does not have",
    status: 404,
    headers: { server: "Apache/2.4.71 (Debian)", "content-type": "application/json; charset=utf-8" },
    body: '{"error":{"code":"NotFound","message":"there is no such operation"},"requestId":"a830168e-0c6a-4a82-b52f-f02a0c1bed9c"}',
  },
  {
    name: "Squid with reply_body_max_size",
    status: 403,
    headers: { ...squid, "x-squid-error": "ERR_TOO_BIG 0" },
    body: "<html><head><title>ERROR: The requested URL could not be retrieved</title></head></html>",
  },
  {
    name: "a gateway whose client has gone",
    status: 499,
    headers: { "content-type": "application/json" },
    body: '{"code":1,"message":"client closed the request"}',
  },
  { name: "nginx with return 444 in a version that sends it", status: 444, headers: {}, body: "" },
  {
    name: "a gateway that sends its own error with 200",
    status: 200,
    headers: { server: "envoy", "content-type": "application/json" },
    body: '{"error":"upstream request timeout"}',
  },
];

/** A response that comes before a proxy hands the request on. */
export const beforeTheEffect: ProxyResponse = {
  name: "nginx with client_max_body_size",
  status: 413,
  headers: nginx,
  body: page("413 Request Entity Too Large", "nginx/1.22.1"),
};
