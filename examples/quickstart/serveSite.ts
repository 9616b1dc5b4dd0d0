/** The shop of the quickstart on this machine: static pages, and the site's own page with status 404 for what does not exist. */
import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import fastify from "fastify";

/** The folder with the pages of the shop. */
export const pagesFolder = join(__dirname, "../../emulator/bookshop/pages");

export interface Site {
  /** Address without a slash at its end. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves a folder of pages on loopback.
 * @param port 0 (the default) takes any free one.
 * @throws an error with code `EADDRINUSE` where the port is in use.
 */
export async function serveSite({ port = 0, folder = pagesFolder } = {}): Promise<Site> {
  const server = fastify({ forceCloseConnections: true });
  await server.register(fastifyStatic, { root: folder, redirect: true });
  server.setNotFoundHandler((_request, reply) => reply.code(404).sendFile("404.html"));
  await server.listen({ host: "127.0.0.1", port });
  const address = server.server.address();
  if (address === null || typeof address === "string") throw new Error("The site has no address.");
  return { url: `http://127.0.0.1:${address.port}`, close: () => server.close() };
}
