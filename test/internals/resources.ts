export type { ArgsSpec, Kind, Problem } from "../../src/resources/args";
export {
  anything,
  boolean,
  checkValue,
  choice,
  integer,
  lines,
  list,
  mapOf,
  number,
  object,
  scalar,
  share,
  string,
} from "../../src/resources/args";
export { unknownText } from "../../src/resources/engineValues";
export { FieldChecker } from "../../src/resources/export/checks/fieldChecker";
export { compileSchema } from "../../src/resources/export/checks/jsonSchema";
export { RowChecker } from "../../src/resources/export/checks/rowChecker";
export type { FieldChecks, FieldType, RowChecks } from "../../src/resources/export/checks/rowChecks";
export { SchemaChecker } from "../../src/resources/export/checks/rowSchema";
export { isFilled, isOfType } from "../../src/resources/export/checks/valueTypes";
export { limits } from "../../src/resources/export/destinations/s3/sdk";
export { columnKinds } from "../../src/resources/export/formats/columnTypes";
export { writeFormat } from "../../src/resources/export/formats/formats";
export { rejectedName } from "../../src/resources/export/outputPath";
export { extractionTask } from "../../src/resources/extractionTask";
export type { AnyResource } from "../../src/resources/index";
export { resources } from "../../src/resources/index";
export { digestOf } from "../../src/resources/lists/lines";
export { keyOf } from "../../src/resources/ownership";
export { dataQuery } from "../../src/resources/queries";
export type { Context, RunReason } from "../../src/resources/resource";
export { PartialFailure, ResourceError } from "../../src/resources/resource";
export { cloudRun } from "../../src/resources/run/cloudRun";
export type { CloudRunArgs, CloudRunState } from "../../src/resources/run/cloudRunModel";
export { joinRerunOn } from "../../src/resources/run/rerunOn";
export { countsOf } from "../../src/resources/run/subtaskList";
export {
  actionsOf,
  actionsWith,
  previousOf,
  rememberedOf,
  settingsOfActions,
} from "../../src/resources/settings/parameterActions";
export { remember, settingsToRestore } from "../../src/resources/settings/restore";
export { sendParameters } from "../../src/resources/settings/sendParameters";
export type { Setting } from "../../src/resources/settings/setting";
export { byKey, changedProperties, drifts, merge, toUpdates, without } from "../../src/resources/settings/setting";
export { ActionReader } from "../../src/resources/task/actionReader";
export { RowsAreHeld } from "../../src/resources/task/taskRows";
export type { EngineKind } from "../../src/resources/urn";
export { partsOfUrn, providerText, typeToken, urnAs } from "../../src/resources/urn";
export { canonical, unknown } from "../../src/resources/values";
