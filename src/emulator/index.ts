/**
 * A stateful emulator of the service on this machine, for tests, demonstrations and offline work.
 * @module pulumi-webextract/emulator
 */
export type { Amount, Behaviour, BehaviourName, Choice } from "./behaviour";
export { allowedValues, behaviourNames, behaviours, defaultBehaviour, otherValues, parseBehaviour } from "./behaviour";
export type { Changes } from "./changes";
export type { EmulatorCredentials, Plan } from "./credentials";
export type { ErrorCode } from "./errors";
export type { Fault, FaultKind, Hold } from "./faults";
export type { ActionView, Inspection, MarkedRow, RunView, SubtaskView, TaskView } from "./inspect";
export type { JournalEntry, JournalFile } from "./journal";
export type { Seed, SeedAction, SeedCredentials, SeedTask, SeedTaskGroup } from "./seed";
export { checkSeed, defaultSeed } from "./seed";
export type { Emulator, EmulatorOptions } from "./startEmulator";
export { startEmulator } from "./startEmulator";
export type { SubtaskStatus } from "./store";
export type { VisitError } from "./visit";
