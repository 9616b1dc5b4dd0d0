/** Reads the doc comments of the types of arguments and states, from which the reference takes its meanings. */
import { join } from "node:path";
import ts from "typescript";
import { repositoryRoot } from "../commands";

export interface Documented {
  comment: string;
  /** Has the tag `@internal`: state that is of no use to a program. */
  isInternal: boolean;
  /** Of the tag `@default`. */
  defaultTag: string | undefined;
  /** Of the tag `@see`: the resource whose page describes the fields. */
  seeTag: string | undefined;
  isOptional: boolean;
  /** The type, as the compiler writes it. */
  type: string;
  /** The names of the fields of the value, or of the entries where the value is a map. */
  names: readonly string[];
  /** The fields of the value, or of the entries where the value is a map. */
  fields: FieldOf;
}

export type FieldOf = (name: string) => Documented | undefined;

export type DocumentedType = Pick<Documented, "comment" | "names" | "fields">;

let known: DocComments | undefined;

/** The doc comments of the package. Read once in a process, because that takes seconds. */
export function docComments(): DocComments {
  known ??= new DocComments("src/index.ts");
  return known;
}

/** The types that a file and all files that it imports declare. */
export class DocComments {
  private readonly program: ts.Program;
  private readonly checker: ts.TypeChecker;

  constructor(entry: string) {
    const { options } = ts.parseJsonConfigFileContent({ extends: "./tsconfig.json" }, ts.sys, repositoryRoot);
    this.program = ts.createProgram([join(repositoryRoot, entry)], options);
    this.checker = this.program.getTypeChecker();
  }

  /** The doc comment of an interface or type, and those of its fields. */
  of(name: string): DocumentedType {
    for (const source of this.program.getSourceFiles().filter(({ isDeclarationFile }) => !isDeclarationFile)) {
      for (const statement of source.statements) {
        const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
        if (isType && statement.name.text === name) {
          const comment = this.commentOf(this.checker.getSymbolAtLocation(statement.name));
          return { comment, ...this.fieldsOf(this.checker.getTypeAtLocation(statement)) };
        }
      }
    }
    throw new Error(`No file declares ${name}.`);
  }

  /** The doc comment of an exported constant or class. */
  ofValue(name: string): string {
    for (const source of this.program.getSourceFiles().filter(({ isDeclarationFile }) => !isDeclarationFile)) {
      for (const statement of source.statements) {
        const declared = ts.isVariableStatement(statement) ? statement.declarationList.declarations : [statement];
        const declaration = declared.filter(isNamed).find((each) => each.name?.getText() === name);
        if (declaration?.name !== undefined) {
          return this.commentOf(this.checker.getSymbolAtLocation(declaration.name));
        }
      }
    }
    throw new Error(`No file declares ${name}.`);
  }

  private commentOf(symbol: ts.Symbol | undefined): string {
    return ts.displayPartsToString(symbol?.getDocumentationComment(this.checker));
  }

  /** A union has the fields of all of its types. */
  private fieldsOf(type: ts.Type): Pick<Documented, "names" | "fields"> {
    const { checker } = this;
    const types = type.isUnion() ? type.types : [type];
    return {
      names: [...new Set(types.flatMap((each) => each.getProperties().map((property) => property.name)))],
      fields: (name) => {
        const symbols = types.flatMap((each) => each.getProperty(name) ?? []);
        const symbol = symbols.find((each) => this.commentOf(each) !== "") ?? symbols[0];
        if (symbol === undefined) {
          return undefined;
        }
        const tags = symbol.getJsDocTags(checker);
        const textOf = (name: string): string | undefined => {
          const tag = tags.find((each) => each.name === name);
          return tag === undefined ? undefined : ts.displayPartsToString(tag.text);
        };
        const fieldType = checker.getNonNullableType(checker.getTypeOfSymbol(symbol));
        return {
          comment: this.commentOf(symbol).replace(/\s+/g, " "),
          isInternal: tags.some((each) => each.name === "internal"),
          defaultTag: textOf("default"),
          seeTag: textOf("see"),
          isOptional: (symbol.flags & ts.SymbolFlags.Optional) !== 0,
          type: checker.typeToString(fieldType),
          ...this.fieldsOf(checker.getIndexTypeOfType(fieldType, ts.IndexKind.String) ?? fieldType),
        };
      },
    };
  }
}

function isNamed(node: ts.Node): node is ts.VariableDeclaration | ts.ClassDeclaration {
  return ts.isVariableDeclaration(node) || ts.isClassDeclaration(node);
}
