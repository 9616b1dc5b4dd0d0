export { warnOfPlainCredentials } from "../../src/program/plainCredentials";
export { providerText } from "../../src/program/providerText";
