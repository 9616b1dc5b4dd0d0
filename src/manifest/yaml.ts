/** The YAML library, as far as it is used. The package contains it as a bundle, see `scripts/bundle.ts`. */
export type { CST, Node, YAMLError } from "yaml";
export {
  Composer,
  Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  Pair,
  Parser,
  Scalar,
  YAMLMap,
  YAMLSeq,
} from "yaml";
