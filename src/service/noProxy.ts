import { BlockList, isIP } from "node:net";

/**
 * Whether NO_PROXY exempts a host, as for curl: a domain stands for its subdomains too, an address can have a length of
 * its prefix, IPv6 needs no brackets, and a final dot does not matter. `proxy-from-env` knows ports and `*` only.
 */
export function isExempt(hostname: string, noProxy: string): boolean {
  const host = bare(hostname);
  const version = isIP(host);
  const entries = noProxy.split(/[\s,]+/).map(bare);
  return entries.some((each) => {
    if (each === "" || version === 0) {
      return each !== "" && `.${host}`.endsWith(`.${each}`);
    }
    const [address = "", bits = version === 4 ? "32" : "128"] = each.split("/");
    const isNetwork = isIP(address) === version && /^\d+$/.test(bits);
    return isNetwork && isInside(host, address, Number(bits), version === 4 ? "ipv4" : "ipv6");
  });
}

function isInside(host: string, network: string, bits: number, type: "ipv4" | "ipv6"): boolean {
  const list = new BlockList();
  try {
    list.addSubnet(network, bits, type);
  } catch {
    // No prefix is so long.
    return false;
  }
  return list.check(host, type);
}

function bare(name: string): string {
  return name
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/^\./, "")
    .replace(/\.$/, "");
}
