export { warnOfPlainCredentials } from "../../src/program/programConfig";
