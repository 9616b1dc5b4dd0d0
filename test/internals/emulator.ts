export { Hosts } from "../../emulator/src/extraction/hosts";
export type { Change } from "../../emulator/src/page/changeFeed";
export { ChangeFeed } from "../../emulator/src/page/changeFeed";
export { EventStream } from "../../emulator/src/page/eventStream";
export { RunProgress } from "../../emulator/src/page/runProgress";
export { LineList } from "../../emulator/src/store/lineList";
export { RowMarks } from "../../emulator/src/store/rowMarks";
export type { StoredRun } from "../../emulator/src/store/store";
export { newRun, newSubtask } from "../../emulator/src/store/store";
