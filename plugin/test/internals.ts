export { resourceNamed } from "../../src/resources/index";
export { Monitor } from "../src/component/monitor";
export { pathInLanguage, wordsOf } from "../src/languageWords";
export { Plugin } from "../src/server";
