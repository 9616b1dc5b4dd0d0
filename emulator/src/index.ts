/**
 * A stateful emulator of the service on this machine, for tests, demonstrations and offline work.
 * @module webextract-emulator
 */
export type { Asynchronous, ConnectOptions, RemoteEmulator, RemoteHold } from "./admin/client";
export { connectEmulator } from "./admin/client";
export { readFaultFile } from "./admin/readFaultFile";
export type { Amount, Behaviour, BehaviourName, Choice } from "./behaviour";
export {
  allowedValues,
  behaviourNames,
  behaviours,
  defaultBehaviour,
  documentedBehaviour,
  otherValues,
  parseBehaviour,
} from "./behaviour";
export type { Changes } from "./changes";
export type { OperationName, Row } from "./contract";
export type { AccountOptions, Emulator, Health, SnapshotView } from "./emulator";
export type { ErrorCode } from "./errors";
export type { Fault, FaultFile, FaultKind, FaultTarget, FaultView, Hold, HoldView } from "./faults/faults";
export type { JournalEntry, JournalFile, RequestFilter } from "./http/journalEntry";
export type {
  ActionView,
  Inspection,
  ListPart,
  MarkedRow,
  RowText,
  RunFilter,
  RunStatus,
  RunSummary,
  RunView,
  SubtaskView,
  TaskSummary,
  TaskView,
} from "./inspect";
export type { ProgressSample } from "./runs/runProgress";
export type { EmulatorOptions } from "./startEmulator";
export { startEmulator } from "./startEmulator";
export type { ClockSetting, ClockView } from "./store/clock";
export type { EmulatorCredentials } from "./store/credentials";
export { exportStateFile, importStateFile } from "./store/disk/stateTransfer";
export type { StateDocument } from "./store/document/stateDocument";
export type { Plan, Seed, SeedAction, SeedCredentials, SeedTask, SeedTaskGroup } from "./store/seed";
export { checkSeed, defaultSeed } from "./store/seed";
export type { SubtaskStatus } from "./store/store";
export type { SubtaskCounts } from "./store/subtaskCounts";
export type { VisitError } from "./visit";
