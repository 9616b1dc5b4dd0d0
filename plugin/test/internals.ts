export { Monitor } from "../src/component/monitor";
export { wordsOf } from "../src/languageWords";
export { Plugin } from "../src/server";
