/**
 * The walls of the house: what each room may import, the doors through which other parts come into `src`, the order in
 * which a request passes the folders of a part, and how many lines each part may have.
 */

/** Each room of `src`, and each part, may import these. `src/system` is what the machine has: files, processes, time. */
export const groundFloor: readonly string[] = ["src/values", "src/system"];

/** For each room, a folder or a file, which others it may import. An import goes nowhere else, imports of types included. */
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  "src/values": [],
  "src/system": ["src/values"],
  // The token store is on it, and it writes errors as the client does.
  "src/store": [...groundFloor, "src/service/errors"],
  "src/service": [...groundFloor, "src/store"],
  "src/engine": [...groundFloor, "src/service"],
  "src/rows": [...groundFloor, "src/store", "src/service"],
  "src/resources": [...groundFloor, "src/store", "src/service", "src/rows"],
  "src/config": [...groundFloor, "src/store", "src/service", "src/resources"],
  "src/journal": [...groundFloor, "src/store", "src/service", "src/resources", "src/config"],
  "src/provider": [
    ...groundFloor,
    ...["src/store", "src/service", "src/engine", "src/rows", "src/resources", "src/config", "src/journal"],
  ],
  "src/program": [...groundFloor, "src/service", "src/engine", "src/rows", "src/resources", "src/config"],
  "src/manifest": [...groundFloor, "src/service/errors", "src/rows", "src/resources"],
  // The rest of src/manifest reads manifests without declaring anything.
  "src/manifest/manifest.ts": [...groundFloor, "src/rows", "src/resources", "src/manifest", "src/program"],
  "src/index.ts": ["src/program", "src/manifest/manifest.ts"],
  "cli/src": [
    ...groundFloor,
    ...["src/store", "src/service", "src/rows", "src/resources", "src/config", "src/journal", "src/manifest"],
  ],
  "plugin/src": [
    ...groundFloor,
    ...["src/service", "src/engine", "src/rows", "src/resources", "src/config", "src/provider", "src/manifest"],
  ],
  // It knows the service from openapi.yaml alone.
  "emulator/src": [],
};

/** The rooms that import Pulumi. */
export const knowPulumi = ["src/engine", "src/program", "src/provider", "src/manifest/manifest.ts", "plugin/src"];

/** The entries of the package. `src` holds what they reach, and nothing else. */
export const entries = ["src/index.ts", "src/provider/provider.ts", "src/service/index.ts"];

/** The modules of `src` that another part may import, beside the ground floor: each is a decision. */
export const doors: Readonly<Record<string, readonly string[]>> = {
  "cli/src": [
    "src/config/config.ts",
    "src/config/configKeys.ts",
    "src/config/projectFolder.ts",
    "src/journal/journalPlace.ts",
    "src/journal/openJournal.ts",
    "src/manifest/component.ts",
    "src/manifest/manifestFiles.ts",
    "src/manifest/problems.ts",
    "src/manifest/readManifests.ts",
    "src/manifest/variables.ts",
    "src/manifest/yaml.ts",
    "src/resources/adopt/adoptedTask.ts",
    "src/resources/adopt/secrets.ts",
    "src/resources/export/dataExport.ts",
    "src/resources/export/model.ts",
    "src/resources/export/rowReader.ts",
    "src/resources/export/runExport.ts",
    "src/resources/index.ts",
    "src/resources/lists/allowedFile.ts",
    "src/resources/resource.ts",
    "src/resources/run/cloudRunModel.ts",
    "src/resources/run/observeRun.ts",
    "src/resources/run/runStart.ts",
    "src/resources/run/runStop.ts",
    "src/resources/run/runWait.ts",
    "src/resources/run/statuses.ts",
    "src/resources/run/subtaskList.ts",
    "src/resources/settings/setting.ts",
    "src/resources/task/actionReader.ts",
    "src/resources/task/lostResponse.ts",
    "src/resources/task/requestJournal.ts",
    "src/resources/task/taskPresence.ts",
    "src/rows/destinations/destinationOf.ts",
    "src/rows/destinations/diskFile.ts",
    "src/rows/formats/columnTypes.ts",
    "src/rows/formats/compression.ts",
    "src/rows/formats/formats.ts",
    "src/rows/formats/rowTable.ts",
    "src/service/auth/accessToken.ts",
    "src/service/auth/sharedTokens.ts",
    "src/service/auth/tokenStore.ts",
    "src/service/client.ts",
    "src/service/contract/contractBreach.ts",
    "src/service/contract/jsonScanner.ts",
    "src/service/contract/operations.ts",
    "src/service/contract/responses.ts",
    "src/service/contract/successWords.ts",
    "src/service/contract/types.ts",
    "src/service/environment.ts",
    "src/service/errors/errors.ts",
    "src/service/errors/failures.ts",
    "src/service/errors/foreignText.ts",
    "src/service/errors/hideWords.ts",
    "src/service/errors/secretShapes.ts",
    "src/service/http/proxy.ts",
    "src/service/options.ts",
    "src/service/parsedJson.ts",
    "src/service/serviceAddress.ts",
    "src/service/settings.ts",
    "src/service/wrongPath.ts",
    "src/store/objectStore.ts",
    "src/store/optionalPackage.ts",
    "src/store/sharedStore.ts",
    "src/store/storeAddress.ts",
    "src/store/storeOf.ts",
  ],
  "plugin/src": [
    "src/config/config.ts",
    "src/config/configKeys.ts",
    "src/config/projectFolder.ts",
    "src/engine/endings.ts",
    "src/engine/engine.ts",
    "src/engine/hostModules.ts",
    "src/engine/interruption.ts",
    "src/engine/log.ts",
    "src/engine/serialization.ts",
    "src/engine/traces.ts",
    "src/manifest/component.ts",
    "src/manifest/documentReader.ts",
    "src/manifest/readManifests.ts",
    "src/manifest/variables.ts",
    "src/provider/accountClaims.ts",
    "src/provider/host.ts",
    "src/provider/layers/layers.ts",
    "src/provider/providerErrors.ts",
    "src/provider/resourceSteps.ts",
    "src/provider/step.ts",
    "src/resources/adopt/imported.ts",
    "src/resources/args.ts",
    "src/resources/export/dataExport.ts",
    "src/resources/index.ts",
    "src/resources/lists/lines.ts",
    "src/resources/ownership.ts",
    "src/resources/queries.ts",
    "src/resources/run/rerunOn.ts",
    "src/rows/destinations/fileIdentity.ts",
    "src/rows/outputPath.ts",
    "src/service/client.ts",
    "src/service/errors/foreignText.ts",
  ],
};

/** The folders and files of a part, in the order in which a request passes them: each imports only what stands after it. */
export const orders: Readonly<Record<string, readonly string[]>> = {
  "emulator/src": [
    ...["cli", "index", "startEmulator", "admin", "page", "accounts", "emulator", "changes", "inspect"],
    ...["http", "handlers", "service", "runs", "store", "extraction", "faults"],
    ...["visit", "limits", "behaviour", "contract", "errors", "generated"],
  ],
  "src/service": [
    ...["index", "client", "rows", "settings", "http", "auth", "wrongPath", "errors", "contract"],
    ...["environment", "noProxy", "options"],
    ...["parsedJson", "serviceAddress", "parsedUrl"],
  ],
};

/** The most lines of code of each part. What a change adds beyond it, it takes away elsewhere. */
export const budgets: readonly { part: string; folders: readonly string[]; lines: number }[] = [
  { part: "src", folders: ["src"], lines: 27_025 },
  { part: "cli", folders: ["cli/src"], lines: 13_828 },
  { part: "plugin", folders: ["plugin/src"], lines: 1_685 },
  { part: "emulator", folders: ["emulator/src", "emulator/page"], lines: 13_537 },
  { part: "scripts", folders: ["scripts"], lines: 5_792 },
  { part: "tests", folders: ["test", "cli/test", "plugin/test", "emulator/test"], lines: 75_722 },
  { part: "bench", folders: ["bench"], lines: 2_909 },
];
