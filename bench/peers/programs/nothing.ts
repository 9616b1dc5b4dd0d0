/** A resource that does nothing. Shows what the engine itself needs for each resource. */
import type { CustomResourceOptions, Input } from "@pulumi/pulumi";
import { CustomResource } from "@pulumi/pulumi";

const provider = 'exports.handler=()=>({create:async i=>({id:"nothing",outs:i})})';

export class Nothing extends CustomResource {
  constructor(name: string, args: Record<string, Input<string> | object> = {}, opts?: CustomResourceOptions) {
    super("pulumi-nodejs:dynamic/floor:Nothing", name, { ...args, __provider: provider }, opts);
  }
}
