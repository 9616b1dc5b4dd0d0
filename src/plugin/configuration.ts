import type { CheckRequest, ConfigureRequest } from "@pulumi/pulumi/proto/provider_pb";
import { CheckFailure, CheckResponse } from "@pulumi/pulumi/proto/provider_pb";
import type { ReadKey } from "../config/config";
import { parseGivenConfig, setBaseUrl } from "../config/config";
import { configKeys, credentialKeys } from "../config/configKeys";
import type { Properties } from "../engine/serialization";
import { isDefaultProvider } from "../resources/urn";
import { unknown } from "../resources/values";
import { shownText } from "../service/errors/foreignText";
import { fromStruct, toStruct } from "./structs";
import type { Secrets } from "./values";
import { allSecret, decodeProperties, encode } from "./values";

/** The arguments of a provider: keys of the namespace `webextract`, from the configuration of the stack or from the program. */

/** What the engine itself adds to these arguments. */
const ofEngine = ["version", "pluginDownloadURL", "pluginChecksums", "parameterization", "__internal"];

/** An address that is not known yet is not missing. */
const notYetKnown: Readonly<Record<string, string>> = { baseUrl: "https://unknown.invalid" };

/** A declared provider does not read the configuration of the stack. */
const argument = "Give the provider the argument baseUrl, or set WEBEXTRACT_BASE_URL.";

/** Refuses an invalid configuration, each problem at its key. */
export function checkConfig(request: CheckRequest): CheckResponse {
  const { values, secrets } = decodeProperties(fromStruct(request.getNews()));
  const given = withoutEngine(values);
  const { problems } = parseGivenConfig(readKeys(given), Object.keys(given));
  const response = new CheckResponse();
  response.setInputs(toStruct(encode(values, [...secrets, ...credentialsIn(given)])));
  const isDeclared = !isDefaultProvider(request.getUrn());
  response.setFailuresList(
    problems.map((problem) => failureOf(isDeclared ? problem.replace(setBaseUrl, argument) : problem)),
  );
  return response;
}

/** Credentials are secret, whoever forgot to encrypt them. */
function credentialsIn(given: Properties): Secrets {
  return allSecret([...credentialKeys, "profiles"].filter((name) => name in given));
}

function failureOf(problem: string): CheckFailure {
  const failure = new CheckFailure();
  const [, key = ""] = /^webextract:(\w+)/.exec(problem) ?? [];
  // The engine shows the value of the property that a failure names, and no credential may be shown.
  const isShown =
    Object.hasOwn(configKeys, key) && ![...credentialKeys, "profiles", "credentialCommand", "baseUrl"].includes(key);
  failure.setProperty(isShown ? key : "");
  failure.setReason(shownText(problem));
  return failure;
}

/** How a configured provider reads its keys. */
export function configurationOf(request: ConfigureRequest): ReadKey {
  return readKeys(withoutEngine(decodeProperties(fromStruct(request.getArgs())).values));
}

function withoutEngine(values: Properties): Properties {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !ofEngine.includes(name)));
}

/** The values of a configuration are strings. A program can give others, such as a list. */
function readKeys(values: Properties): ReadKey {
  return (key) => {
    const value = Object.hasOwn(values, key) ? values[key] : undefined;
    if (value === undefined || typeof value === "string") {
      return value;
    }
    return value === unknown ? notYetKnown[key] : JSON.stringify(value);
  };
}
