export { warnOfPlainCredentials } from "../../src/program/problems/plainCredentials";
