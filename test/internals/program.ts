export { warnOfPlainCredentials } from "../../src/program/plainCredentials";
