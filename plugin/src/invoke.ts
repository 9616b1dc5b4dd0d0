import type { InvokeRequest } from "@pulumi/pulumi/proto/provider_pb";
import { CheckFailure, InvokeResponse } from "@pulumi/pulumi/proto/provider_pb";
import { noCredential } from "../../src/config/config";
import type { Host } from "../../src/provider/host";
import { ProviderError } from "../../src/provider/providerErrors";
import type { ArgSpecs } from "../../src/resources/args";
import { checkFields } from "../../src/resources/args";
import {
  actionsQuery,
  batchDataQuery,
  dataQuery,
  notExportedDataQuery,
  subtasksQuery,
} from "../../src/resources/queries";
import type { ServiceClient } from "../../src/service/client";
import { shownText } from "../../src/service/errors/foreignText";
import type { Problem } from "../../src/values/kinds";
import { boolean, string } from "../../src/values/kinds";
import { entryOf } from "../../src/values/plain";
import { inLanguage, pathInLanguage } from "./languageWords";
import { allSecret, decodeStruct, encodeStruct } from "./wireValues";

/** A function of the package as the engine calls it. */
interface PluginFunction {
  args: ArgSpecs;
  /** Whether its results are not secret. The data of a service can contain anything. */
  isPlain?: true;
  run(client: ServiceClient, args: never): Promise<object>;
}

/** By their tokens. A result is a map, so lists have a name in it. */
const functions: Readonly<Record<string, PluginFunction>> = {
  getActions: {
    args: actionsQuery.args,
    run: async (client, args) => ({ tasks: await actionsQuery.run(client, args) }),
  },
  getSubtasks: {
    args: subtasksQuery.args,
    isPlain: true,
    run: async (client, args) => ({ subtasks: await subtasksQuery.run(client, args) }),
  },
  getData: dataQuery,
  getBatchData: batchDataQuery,
  getNotExportedData: notExportedDataQuery,
};

/** Reads for the program. Fails in a preview that has only a refresh token. */
export async function invoke(request: InvokeRequest, host: Host): Promise<InvokeResponse> {
  const name = request.getTok().replace(/^webextract:index:/, "");
  const called = entryOf(functions, name);
  if (called === undefined) {
    throw new ProviderError(
      `pulumi-webextract has no function "${request.getTok()}". Known: ${Object.keys(functions).join(", ")}.`,
    );
  }
  const { values } = decodeStruct(request.getArgs());
  const problems: Problem[] = [];
  // Nothing in the request says which form of the function asks.
  const own = { profile: { kind: string }, ...(!called.isPlain && { plain: { kind: boolean } }) };
  const fields = { ...called.args, ...own };
  const { profile, plain, ...args } = checkFields(fields, values, "", problems);
  const response = new InvokeResponse();
  if (problems.length > 0) {
    const text = ({ path, reason }: Problem): string => `${pathInLanguage(path, fields)} ${inLanguage(reason)}`;
    response.setFailuresList(
      problems.map((each) => new CheckFailure().setProperty(name).setReason(shownText(text(each)))),
    );
    return response;
  }
  const client = host.reader(profile as string | undefined, request.getPreview());
  if (client === undefined) {
    // The engine takes no unknown value as the result of a function.
    throw new ProviderError(`${name}: ${noCredential} Configure one of them, or read with a DataExport.`);
  }
  const result = await called.run(client, args as never);
  return response.setReturn(
    encodeStruct(result, called.isPlain || plain === true ? [] : allSecret(Object.keys(result))),
  );
}
