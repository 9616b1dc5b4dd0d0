import { readFileSync } from "node:fs";

/** A resource in the state. */
export interface StateResource {
  urn: string;
  type: string;
  id?: string;
  inputs?: Record<string, unknown>;
  outputs?: Record<string, unknown>;
  parent?: string;
  dependencies?: string[];
  initErrors?: string[];
  protect?: boolean;
  /** The URN and the id of the provider. */
  provider?: string;
  retainOnDelete?: boolean;
  deletedWith?: string;
  /** The time at which this instance was created. */
  created?: string;
  /** The line of the program that declares the resource, as the SDK reported it. */
  sourcePosition?: string;
  stackTrace?: { sourcePosition?: string }[];
}

/** The state of a stack. */
export interface State {
  resources: StateResource[];
  pendingOperations: { resource: StateResource; type: string }[];
}

/** Reads a stack's file of the file backend. */
export function readState(file: string): State {
  const { checkpoint } = JSON.parse(readFileSync(file, "utf8")) as StackFile;
  return {
    resources: checkpoint.latest?.resources ?? [],
    pendingOperations: checkpoint.latest?.pending_operations ?? [],
  };
}

interface StackFile {
  checkpoint: {
    latest?: { resources?: StateResource[]; pending_operations?: State["pendingOperations"] };
  };
}
