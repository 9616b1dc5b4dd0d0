export { typeToken } from "../../src/program/extractionResource";
export { providerText } from "../../src/program/providerText";
