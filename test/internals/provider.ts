export { AccountGuard } from "../../src/provider/accountGuard";
export { DynamicProvider } from "../../src/provider/dynamicProvider";
export { Host } from "../../src/provider/host";
export { JournalFiles } from "../../src/provider/journalFiles";
export { layers } from "../../src/provider/layers/index";
export type { ProcessName } from "../../src/provider/processes";
export { systemProcesses } from "../../src/provider/processes";
export { InitFailure } from "../../src/provider/providerErrors";
export type { Layer } from "../../src/provider/step";
