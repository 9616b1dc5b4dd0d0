import type { ChildProcess } from "node:child_process";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A proxy of Debian: its package, its program, and how it starts with a file of settings in a folder of its own. */
interface Kind {
  package: string;
  program: string;
  start: (place: Place) => { settings: string; args: string[] };
}

interface Place {
  /** Where the proxy listens. */
  port: number;
  /** Where the service listens. */
  origin: number;
  folder: string;
  /** The file of the settings. */
  file: string;
  /** The settings of the test. */
  more: string;
}

const kinds = {
  nginx: {
    package: "nginx-light",
    program: "/usr/sbin/nginx",
    start: ({ port, origin, folder, file, more }) => ({
      args: ["-c", file, "-p", folder],
      settings: `daemon off; error_log ${folder}/error.log; pid ${folder}/pid; user root;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  upstream service { server 127.0.0.1:${origin}; server localhost:${origin}; keepalive 2; }
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://service; proxy_http_version 1.1; proxy_set_header Connection ""; ${more.split("---")[0]} }
    ${more.split("---")[1] ?? ""}
  }
}`,
    }),
  },
  apache: {
    package: "apache2",
    program: "/usr/sbin/apache2",
    start: ({ port, origin, folder, file, more }) => ({
      args: ["-f", file, "-DFOREGROUND"],
      settings: `ServerRoot ${folder}
ServerName localhost
Listen 127.0.0.1:${port}
PidFile ${folder}/pid
ErrorLog ${folder}/error.log
DefaultRuntimeDir ${folder}
Mutex file:${folder}
${["mpm_event", "authz_core", "proxy", "proxy_http"].map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join("\n")}
ProxyPass / http://127.0.0.1:${origin}/
${more}`,
    }),
  },
  squid: {
    package: "squid",
    program: "/usr/sbin/squid",
    start: ({ port, origin, folder, file, more }) => ({
      args: ["-N", "-n", `t${port}`, "-f", file],
      settings: `http_port 127.0.0.1:${port} accel defaultsite=localhost no-vhost
cache_peer 127.0.0.1 parent ${origin} 0 no-query originserver name=service ${more.includes("login=PASS") ? "login=PASS" : ""}
http_access allow all
cache deny all
access_log none
cache_log ${folder}/cache.log
cache_store_log none
pid_filename ${folder}/pid
coredump_dir ${folder}
netdb_filename none
cache_effective_user proxy
shutdown_lifetime 0 seconds
${more.replace("login=PASS", "")}`,
    }),
  },
  varnish: {
    package: "varnish",
    program: "/usr/sbin/varnishd",
    start: ({ port, origin, folder, file, more }) => ({
      args: ["-F", "-n", join(folder, "work"), "-a", `127.0.0.1:${port}`, "-f", file, "-j", "none", "-s", "malloc,10m"],
      settings: `vcl 4.1; backend service { .host = "127.0.0.1"; .port = "${origin}"; } ${more}`,
    }),
  },
  haproxy: {
    package: "haproxy",
    program: "/usr/sbin/haproxy",
    start: ({ port, origin, file, more }) => ({
      args: ["-f", file, "-db"],
      settings: `defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
frontend front
  bind 127.0.0.1:${port}
  default_backend service
backend service
  server s1 127.0.0.1:${origin}
${more}
`,
    }),
  },
} satisfies Record<string, Kind>;

export type ProxyName = keyof typeof kinds;

/** A proxy in front of a service on this machine. */
export interface RealProxy {
  url: string;
  close(): Promise<void>;
}

/** Installs the packages of the proxies that are missing. The reason why that is not possible, or nothing. */
export function problemOfProxies(): string | undefined {
  const missing = Object.values(kinds).filter(({ program }) => !existsSync(program));
  if (missing.length === 0) return undefined;
  const names = missing.map((kind) => kind.package).join(" ");
  const install = `apt-get install -y --no-install-recommends ${names}`;
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return `These tests need proxies: ${install}`;
  // With runlevel 1, Debian starts no service of the packages.
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  const { status, stderr } = spawnSync("sh", ["-c", `apt-get update && ${install}`], { env, encoding: "utf8" });
  return status === 0 ? undefined : `${install}: ${stderr.slice(-500)}`;
}

/** @param more settings beside those of a proxy that only passes requests on */
export async function startProxy(name: ProxyName, origin: string, more = ""): Promise<RealProxy> {
  const { program, start }: Kind = kinds[name];
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  for (let tries = 1; ; tries += 1) {
    const port = await freePort();
    const file = join(folder, "settings");
    const { settings, args } = start({ port, origin: Number(new URL(origin).port), folder, file, more });
    writeFileSync(file, settings);
    mkdirSync(join(folder, "html"), { recursive: true });
    // Squid gives up the rights of root.
    chmodSync(folder, 0o777);
    writeFileSync(join(folder, "html", "down.html"), "<html>We are down</html>\n");
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
    if (await isListening(port, child)) {
      return {
        url: `http://127.0.0.1:${port}`,
        close: async () => {
          await ended(child);
          rmSync(folder, { recursive: true, force: true });
        },
      };
    }
    await ended(child);
    if (tries === 3) {
      const log = ["error.log", "cache.log"].map((each) => join(folder, each)).filter((each) => existsSync(each));
      throw new Error([output, ...log.map((each) => readFileSync(each, "utf8"))].join("\n"));
    }
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  await exit;
}

/** The port is free when this returns. If another program takes it, the proxy ends, and the next one is tried. */
async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function isListening(port: number, child: ChildProcess): Promise<boolean> {
  while (child.exitCode === null && child.signalCode === null) {
    const socket = net.connect(port, "127.0.0.1");
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true));
      socket.once("error", () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return true;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return false;
}
