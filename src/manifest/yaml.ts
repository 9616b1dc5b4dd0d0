/** The YAML library, as far as it is used. The package contains it as a bundle, see `scripts/bundle.ts`. */
export type { Alias, Node, Pair, YAMLError } from "yaml";
export {
  Composer,
  CST,
  Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  Parser,
  Scalar,
  visit,
  YAMLMap,
} from "yaml";
