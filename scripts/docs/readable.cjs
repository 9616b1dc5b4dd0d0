/**
 * A plugin of typedoc: takes out of the reference what is of no use to its readers, namely how the types of the classes are put together
 * from those of arguments and states, which are no public names.
 */
exports.load = (app) => {
  // Tables with an entry for each behaviour and variable: their types say less than the pages that list them.
  const tables = ["behaviours", "environmentVariables"];
  app.converter.on("resolveBegin", ({ project }) => {
    for (const reflection of Object.values(project.reflections)) {
      if (!tables.includes(reflection.name) || reflection.type?.type !== "reflection") continue;
      for (const entry of [...(reflection.type.declaration.children ?? [])]) project.removeReflection(entry);
    }
  });
  const origins = ["inheritedFrom", "overwrites", "extendedTypes", "extendedBy", "typeHierarchy"];
  app.renderer.on("beginRender", ({ project }) => {
    for (const reflection of Object.values(project.reflections))
      for (const origin of origins) delete reflection[origin];
  });
  app.renderer.on("endPage", (page) => {
    page.contents = page.contents
      ?.replaceAll("`OutputInstance`", "`Output`")
      .replace(/`?NonNullable`?\\<((?:(?!\\<).)*?)\\>/g, (_whole, type) => type.replace(/ \\\| `?undefined`?$/, ""));
  });
};
