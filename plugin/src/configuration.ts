import type { CheckRequest } from "@pulumi/pulumi/proto/provider_pb";
import { CheckFailure, CheckResponse } from "@pulumi/pulumi/proto/provider_pb";
import type { ReadKey } from "../../src/config/config";
import { parseGivenConfig, setBaseUrl } from "../../src/config/config";
import { credentialKeys } from "../../src/config/configKeys";
import type { Properties } from "../../src/engine/serialization";
import { withoutOutputTexts } from "../../src/resources/args";
import { shownText } from "../../src/service/errors/foreignText";
import type { Problem } from "../../src/values/kinds";
import { unknown } from "../../src/values/plain";
import { isDefaultProvider } from "../../src/values/urn";
import { runtimeOfProject } from "./languageWords";
import { allSecret, decodeStruct, encodeStruct } from "./wireValues";

/**
 * The arguments of a provider: keys of the namespace `webextract`, from the configuration of the stack or from the
 * program.
 */

/** An address that is not known yet is not missing. */
const notYetKnown: Readonly<Record<string, string>> = { baseUrl: "https://unknown.invalid" };

/** A declared provider does not read the configuration of the stack. */
const argument = "Give the provider the argument baseUrl, or set WEBEXTRACT_BASE_URL.";

/** Refuses an invalid configuration with all problems, each with its key. */
export function checkConfig(request: CheckRequest, warn: (message: string) => void): CheckResponse {
  const { values, secrets } = decodeStruct(request.getNews());
  const found: Problem[] = [];
  const sound = withoutOutputTexts(values, "", found) as Properties;
  const { config, problems, warning } = parseGivenConfig(readKeys(sound), Object.keys(values));
  // The classes have said it already. A program in YAML can have their setting too.
  if (warning !== undefined && !(config.native && /^(?:nodejs|bun)$/.test(runtimeOfProject()))) warn(warning);
  problems.push(...found.map(({ path, reason }) => `${path} ${reason}.`));
  const response = new CheckResponse();
  // Credentials are secret, whoever forgot to encrypt them.
  const credentials = allSecret([...credentialKeys, "profiles"]);
  response.setInputs(encodeStruct(values, [...secrets, ...credentials]));
  const isDeclared = !isDefaultProvider(request.getUrn(), values.version);
  // At no property: the engine shows the value of a property that a failure names, and no credential may be shown.
  const failures = problems.map((problem) =>
    new CheckFailure().setReason(shownText(isDeclared ? problem.replace(setBaseUrl, argument) : problem)),
  );
  return response.setFailuresList(failures);
}

/** How a provider reads its keys. The values of a configuration are strings. A program can give others, such as a list. */
export function readKeys(values: Properties): ReadKey {
  return (key) => {
    const value = Object.hasOwn(values, key) ? values[key] : undefined;
    if (value === undefined || typeof value === "string") {
      return value;
    }
    return value === unknown ? notYetKnown[key] : JSON.stringify(value);
  };
}
