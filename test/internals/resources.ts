export type { ArgsSpec } from "../../src/resources/args";
export { checkValue, object } from "../../src/resources/args";
export { FieldChecker } from "../../src/resources/export/checks/fieldChecker";
export { compileSchema } from "../../src/resources/export/checks/jsonSchema";
export { RowChecker } from "../../src/resources/export/checks/rowChecker";
export type { FieldChecks, RowChecks } from "../../src/resources/export/checks/rowChecks";
export { SchemaChecker } from "../../src/resources/export/checks/rowSchema";
export { extractionTask } from "../../src/resources/extractionTask";
export type { AnyResource } from "../../src/resources/index";
export { resources } from "../../src/resources/index";
export { digestOf } from "../../src/resources/lists/lines";
export { claimKey } from "../../src/resources/ownership";
export { dataQuery } from "../../src/resources/queries";
export type { Context, ProfileArgs, Resource } from "../../src/resources/resource";
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
export { fileIdentity } from "../../src/rows/destinations/fileIdentity";
export { columnKinds } from "../../src/rows/formats/columnTypes";
export { writeFormat } from "../../src/rows/formats/formats";
export type { FieldType } from "../../src/rows/formats/valueTypes";
export { isFilled, isOfType } from "../../src/rows/formats/valueTypes";
export { rejectedName } from "../../src/rows/outputPath";
export { limits } from "../../src/store/limits";
export { unknownText } from "../../src/values/engineValues";
export type { RunReason } from "../../src/values/errors";
export { PartialFailure, ResourceError } from "../../src/values/errors";
export type { Kind, Problem } from "../../src/values/kinds";
export {
  anything,
  boolean,
  choice,
  id,
  integer,
  lines,
  list,
  mapOf,
  number,
  scalar,
  share,
  string,
} from "../../src/values/kinds";
export { canonical, unknown } from "../../src/values/plain";
export { providerText } from "../../src/values/stateContract";
export type { EngineKind } from "../../src/values/urn";
export { partsOfUrn, typeToken, urnAs } from "../../src/values/urn";
