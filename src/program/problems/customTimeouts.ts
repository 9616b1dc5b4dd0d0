import type { CustomResourceOptions } from "@pulumi/pulumi";
import { log } from "@pulumi/pulumi";
import type { AnyResource } from "../../resources/index";
import { timeoutAdvice } from "../../resources/index";
import { perProgram } from "../perProgram";

const warned = perProgram(() => new Set<string>());

/** Warns once for each type. The native plugin gets the option from the engine, and warns itself. */
export function warnOfCustomTimeouts(resource: AnyResource, opts: CustomResourceOptions | undefined): void {
  const soFar = warned();
  if (opts?.customTimeouts !== undefined && !soFar.has(resource.type)) {
    soFar.add(resource.type);
    void log.warn(timeoutAdvice(resource));
  }
}
