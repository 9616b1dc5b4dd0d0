import assert from "node:assert/strict";
import { setEnvironment } from "../../environment";
import { proxyFromEnvironment } from "../../internals/service";

/** NO_PROXY, hosts that it exempts, and hosts that use the proxy: as curl does, or says of prefixes of IPv6. */
const cases: readonly (readonly [noProxy: string, exempt: readonly string[], proxied: readonly string[]])[] = [
  ["svc.test", ["svc.test", "SVC.test", "svc.test.", "a.svc.test"], ["xsvc.test", "svc.test.example", "test"]],
  ["other.example, .svc.test", ["svc.test", "a.b.svc.test"], ["xsvc.test"]],
  ["a.example svc.test.", ["svc.test", "svc.test.", "a.svc.test"], ["example"]],
  ["10.0.0.0/8", ["10.1.2.3", "10.255.0.1"], ["11.0.0.1", "10.test", "[fd00::1]"]],
  ["192.168.16.0/20,10.1.1.1/32", ["192.168.31.9", "10.1.1.1"], ["192.168.32.1", "10.1.1.2"]],
  ["10.1.2.3", ["10.1.2.3"], ["110.1.2.3", "10.1.2.30"]],
  ["fd00::1,2001:db8::/32", ["[fd00::1]", "[FD00:0:0::1]", "[2001:db8:ffff::9]"], ["[fd00::2]", "[2001:db9::1]"]],
  ["10.0.0.0/33, 10.0.0.0/x,/8,10.0.0.0/", [], ["10.0.0.1"]],
  ["*", ["svc.test", "10.1.2.3"], []],
  ["", [], ["svc.test", "10.1.2.3"]],
];

describe("NO_PROXY", () => {
  let restore = (): void => undefined;
  afterEach(() => restore());

  for (const [noProxy, exempt, proxied] of cases) {
    it(`"${noProxy}" exempts what it exempts for curl`, () => {
      for (const name of ["NO_PROXY", "no_proxy"]) {
        restore = setEnvironment({
          HTTPS_PROXY: "http://proxy.test:3128",
          NO_PROXY: undefined,
          no_proxy: undefined,
          [name]: noProxy,
        });
        const usesProxy = (host: string) => proxyFromEnvironment(`https://${host}/v1`) !== undefined;
        assert.deepEqual(exempt.filter(usesProxy), []);
        assert.deepEqual(proxied.filter(usesProxy), proxied);
        restore();
      }
    });
  }

  it("takes a port with a name, as other programs write it", () => {
    restore = setEnvironment({ HTTPS_PROXY: "http://proxy.test:3128", NO_PROXY: "svc.test:8443", no_proxy: undefined });
    assert.equal(proxyFromEnvironment("https://svc.test:8443/"), undefined);
    assert.equal(proxyFromEnvironment("https://svc.test/"), "http://proxy.test:3128");
  });
});
