import type { Alias, CustomResourceOptions, Input, ResourceOptions } from "@pulumi/pulumi";
import { Output, output, ProviderResource, secret } from "@pulumi/pulumi";
import { accountOf } from "../config/account";
import type { ConfigKey } from "../config/configKeys";
import { credentialKeys } from "../config/configKeys";
import { ownPackage } from "../system/ownPackage";
import type { EngineKind } from "../values/urn";
import { defaultProviderName, typeToken } from "../values/urn";
import { isMocked, programConfig, unmockedConfig } from "./programConfig";

const pluginName = "webextract";

/**
 * The arguments of a {@link Provider}: the keys of the namespace `webextract`, with the same values as in the
 * configuration of a stack. A list or a map can be given as such.
 */
export type ProviderArgs = {
  [Key in Exclude<ConfigKey, "native" | "profiles">]?: Input<string | number | boolean | readonly string[] | object>;
};

/**
 * A provider of the native plugin with an account of its own, for the option `provider` of resources. Such resources
 * run on the native plugin, which must be installed. They have no `profile`, because the provider has one account. A
 * change of an argument is an update of the provider and replaces no resource.
 *
 * @throws in the preview if an argument is not valid, each named by its key, and for the name of the engine's own
 * provider, such as `default_0_1_0`
 */
export class Provider extends ProviderResource {
  /** @param args a credential is secret, whether or not it is given as one */
  constructor(name: string, args: ProviderArgs, opts?: ResourceOptions) {
    if (name === defaultProviderName(opts?.version ?? ownPackage.version)) {
      throw new TypeError(
        `The provider cannot be called "${name}", as the engine calls its own. Give it another name.`,
      );
    }
    const credentials: readonly string[] = credentialKeys;
    const given = Object.entries(args).map(([key, value]) => {
      const text = output(value).apply((known) => (typeof known === "string" ? known : JSON.stringify(known)));
      return [key, credentials.includes(key) ? secret(text) : text];
    });
    super(pluginName, name, Object.fromEntries(given), { version: ownPackage.version, ...opts });
  }
}

/**
 * How a resource runs: on the native plugin if the configuration or a {@link Provider} says so. Refuses an invalid
 * configuration: at preview, and once for all resources. A Provider has a service of its own.
 */
export function kindOf(type: string, opts: CustomResourceOptions | undefined): EngineKind {
  const isOwn = providerOf(type, opts) !== undefined;
  const config = isOwn || isMocked() ? unmockedConfig() : programConfig();
  return isOwn || config?.native ? "native" : "dynamic";
}

function providerOf(type: string, opts: CustomResourceOptions | undefined): Provider | undefined {
  const provider = opts?.provider ?? opts?.parent?.getProvider(typeToken(type, "native"));
  return provider instanceof Provider ? provider : undefined;
}

/**
 * What stands for the account of a resource, for comparisons within the program: a string for a profile, a provider
 * that the program declares, or an output of a string. Profiles with the same credentials are one account.
 */
export function accountIn(type: string, profile: unknown, opts: CustomResourceOptions | undefined): unknown {
  const config = unmockedConfig();
  const ofProfile = (name: unknown): string => {
    const known = typeof name === "string" ? name : undefined;
    const isConfigured = config !== undefined && config.profileProblem(known) === undefined;
    return isConfigured ? accountOf(config.clientOptions(known)) : `profile ${known}`;
  };
  const isLater = Output.isInstance(profile) || profile instanceof Promise;
  return providerOf(type, opts) ?? (isLater ? output(profile).apply(ofProfile) : ofProfile(profile));
}

/**
 * What the options of a resource have in addition: the type under which a stack has it as one of the other kind, also
 * with each name or parent that it had before, and the plugin of this version. A native resource takes a dynamic one
 * over. A dynamic one finds that it cannot.
 */
export function kindOptions(type: string, kind: EngineKind, opts?: CustomResourceOptions): CustomResourceOptions {
  const other = typeToken(type, kind === "native" ? "dynamic" : "native");
  const asOther = (alias: string | Alias): string | Alias =>
    typeof alias === "string" ? alias : { ...alias, type: alias.type ?? other };
  const before = (opts?.aliases ?? []).map((each) =>
    Output.isInstance(each) || each instanceof Promise
      ? (output(each) as Output<string | Alias>).apply(asOther)
      : asOther(each),
  );
  return {
    aliases: [asOther({}), ...before],
    ...(kind === "native" && opts?.provider === undefined && { version: ownPackage.version }),
  };
}
