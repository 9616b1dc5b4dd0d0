/** The YAML library, as far as it is used. The package contains it as a bundle, see `scripts/bundle.ts`. */
export type { Alias, CST, Node, YAMLError } from "yaml";
export {
  Composer,
  Document,
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  Pair,
  Parser,
  Scalar,
  visit,
  YAMLMap,
  YAMLSeq,
} from "yaml";
