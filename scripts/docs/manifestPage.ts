/** The generated parts of docs/reference/manifest.md: the names that only manifests have. */
import {
  collectionDocument,
  exportFields,
  optionFields,
  runFields,
  taskDocument,
} from "../../src/manifest/documentShapes";
import type { ArgSpecs } from "../../src/resources/args";
import { resources } from "../../src/resources/index";
import { docComments } from "./docComments";
import type { Parts } from "./parts";
import { list } from "./parts";
import { rowsOf } from "./resourcePage";

export const manifestPage = "docs/reference/manifest.md";

export function partsOfManifest(complaints: string[]): Parts {
  const docs = docComments();
  const rows = (type: string, specs: ArgSpecs, ofResource: ArgSpecs = {}): string => {
    // The page of the resource describes the other fields.
    const own = Object.entries(specs).filter(([name, spec]) => ofResource[name]?.kind !== spec.kind);
    const flat = own.map(([name, spec]) => [name, { ...spec, kind: withoutFields(spec.kind) }]);
    return list(rowsOf(Object.fromEntries(flat), docs.of(type).fields, { path: "", type, complaints }));
  };
  return {
    command: "npm run docs",
    required: {
      task: rows("TaskDocument", taskDocument, resources.ExtractionTask?.args),
      run: rows("RunDocument", runFields, resources.CloudRun?.args),
      export: rows("ExportDocument", exportFields, resources.DataExport?.args),
      options: rows("ResourceOptions", optionFields),
      collection: rows("CollectionDocument", collectionDocument),
    },
  };
}

/** The fields of a map have a table of their own. */
function withoutFields(kind: ArgSpecs[string]["kind"]): ArgSpecs[string]["kind"] {
  if (kind?.is === "map" && kind.of.is === "object") {
    return { is: "map", of: { is: "object", fields: {} } };
  }
  return kind?.is === "object" ? { is: "object", fields: {} } : kind;
}
