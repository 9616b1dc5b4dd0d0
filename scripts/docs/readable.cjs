/**
 * A plugin of typedoc: removes parts of the reference that are not useful for readers, such as the composition of the types of classes from
 * internal types of arguments and states.
 */
const { readdirSync, readFileSync } = require("node:fs");
const { join } = require("node:path");
const { ReferenceType, UnionType } = require("typedoc");

const root = join(__dirname, "..", "..");
const declaredUnions = readUnions();

exports.load = (app) => {
  // Tables with an entry for each behaviour and variable. The pages that list them say more than their types.
  const tables = ["behaviours", "environmentVariables"];
  app.converter.on("resolveBegin", ({ project }) => {
    for (const reflection of Object.values(project.reflections)) {
      if (!tables.includes(reflection.name) || reflection.type?.type !== "reflection") continue;
      const entries = [...(reflection.type.declaration.children ?? [])];
      nameKeys(
        reflection.name,
        entries.map(({ name }) => name),
        project,
      );
      for (const entry of entries) project.removeReflection(entry);
    }
  });
  const origins = ["inheritedFrom", "overwrites", "extendedTypes", "extendedBy", "typeHierarchy"];
  app.renderer.on("beginRender", ({ project }) => {
    for (const reflection of Object.values(project.reflections))
      for (const origin of origins) delete reflection[origin];
  });
  app.renderer.on("endPage", (page) => {
    page.contents = page.contents
      ?.replace(/`"\w+"`(?: \\\| `"\w+"`)+/g, inDeclaredOrder)
      .replaceAll("`OutputInstance`", "`Output`")
      .replace(/`?NonNullable`?\\<((?:(?!\\<).)*?)\\>/g, (_whole, type) => type.replace(/ \\\| `?undefined`?$/, ""));
  });
};

/**
 * The compiler expands the keys of a table in the type of a parameter, in an order that depends on the other files of the program. Such a
 * union becomes the name of the type that stands for the keys.
 */
function nameKeys(table, keys, project) {
  const all = Object.values(project.reflections);
  const alias = all.find(({ type }) => type?.type === "typeOperator" && type.target.queryType?.name === table);
  if (alias === undefined) return;
  for (const reflection of all) {
    const { type } = reflection;
    if (!(type instanceof UnionType) || type.types.length !== keys.length) continue;
    if (!type.types.every(({ value }) => keys.includes(value))) continue;
    reflection.type = ReferenceType.createResolvedReference(alias.name, alias, project);
  }
}

/**
 * The order of the strings in a union that the compiler computes depends on the other files of the program. They get the order of a union in the
 * code with the same strings, or otherwise that of the alphabet.
 */
function inDeclaredOrder(union) {
  const strings = union.match(/\w+/g).sort();
  const ordered = declaredUnions.get(strings.join()) ?? strings;
  return ordered.map((each) => `\`"${each}"\``).join(" \\| ");
}

function readUnions() {
  const unions = new Map();
  for (const folder of ["src", "emulator/src"]) {
    const files = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).sort();
    for (const file of files.filter((each) => each.endsWith(".ts"))) {
      for (const [union] of readFileSync(join(root, folder, file), "utf8").matchAll(/"\w+"(?:\s*\|\s*"\w+")+/g)) {
        const strings = union.match(/\w+/g);
        unions.set([...strings].sort().join(), strings);
      }
    }
  }
  return unions;
}
