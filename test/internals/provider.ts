export { AccountGuard } from "../../src/provider/accountGuard";
export { Backend } from "../../src/provider/backend";
export { Host } from "../../src/provider/host";
export { JournalFiles } from "../../src/provider/journalFiles";
export { InitFailure } from "../../src/provider/providerErrors";
