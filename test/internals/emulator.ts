export { Hosts } from "../../emulator/src/extraction/hosts";
export { LineList } from "../../emulator/src/store/lineList";
export { RowMarks } from "../../emulator/src/store/rowMarks";
