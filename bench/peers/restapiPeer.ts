import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { credentials } from "../stage/emulatorProcess";
import { folderOnPath, missingPrograms } from "./onPath";
import type { Peer, PeerStack, StackOptions } from "./peer";
import {
  actionType,
  declaredTasks,
  loopActionId,
  loopType,
  openActionId,
  propertyName,
  template,
} from "./programs/work";

const provider = "terraform-provider-restapi";

/** Terraform with the general REST provider. Both must be on PATH; nothing is downloaded. */
export const restapiPeer: Peer = {
  name: "restapi",
  summary: "Terraform with the Mastercard/restapi provider, three resources a task",
  missing: () => missingPrograms("terraform", provider),
  works: true,
  // The responses cannot be compared with the requests, so the provider ignores them.
  findsChanges: false,
  survivesLoss: false,
  open: openStack,
};

async function openStack({ tasks, service, requestsPerSecond }: StackOptions): Promise<PeerStack> {
  const folder = mkdtempSync(join(tmpdir(), "webextract-restapi-"));
  const state = join(folder, "terraform.tfstate");
  const settings = join(folder, "terraform.rc");
  writeFileSync(
    settings,
    `provider_installation {\n  dev_overrides {\n    "mastercard/restapi" = "${folderOnPath(provider)}"\n  }\n  direct {}\n}\n`,
  );
  writeFileSync(join(folder, "main.tf"), configuration(service.url, requestsPerSecond));
  const declare = (revision: number): void =>
    writeFileSync(join(folder, "declared.json"), JSON.stringify(declaredTasks({ tasks, revision })));
  declare(0);
  const run = (...args: string[]): Promise<unknown> =>
    promisify(execFile)("terraform", [...args, "-input=false", "-no-color"], {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        TMPDIR: folder,
        TF_CLI_CONFIG_FILE: settings,
        CHECKPOINT_DISABLE: "1",
      },
      maxBuffer: 64 * 1024 * 1024,
    });
  return {
    declare,
    up: () => run("apply", "-auto-approve"),
    preview: () => run("plan"),
    refresh: () => run("apply", "-auto-approve", "-refresh-only"),
    destroy: () => run("destroy", "-auto-approve"),
    state() {
      const { resources } = JSON.parse(readFileSync(state, "utf8")) as { resources: { instances: object[] }[] };
      const instances = resources.flatMap((each) => each.instances);
      return {
        bytes: statSync(state).size,
        resources: instances.length,
        bytesOfResources: Buffer.byteLength(JSON.stringify(instances)),
      };
    },
    stateHolds: (text) => readFileSync(state, "utf8").includes(text),
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

/**
 * The provider can use the id of an object in paths only. So the object that got the id removes the rows of the task, and the other objects are
 * destroyed with a read, because the provider must make a request. The body `null` stands for no body.
 */
function configuration(baseUrl: string, requestsPerSecond: number | undefined): string {
  const query = new URLSearchParams({ taskId: template.sourceTaskId, taskGroupId: template.taskGroupId });
  const ofTask = `
  ignore_server_additions = true
  object_id   = restapi_object.copy[count.index].id
  read_method = "POST"
  read_path   = "/task/getActions"
  update_method = "POST"`;
  return `
terraform {
  required_providers {
    restapi = { source = "mastercard/restapi" }
  }
}

provider "restapi" {
  uri                   = "${baseUrl}"
  headers               = { Authorization = "Bearer ${credentials.accessToken}" }
  create_returns_object = true
  write_returns_object  = true
${requestsPerSecond === undefined ? "" : `  rate_limit = ${requestsPerSecond}\n  retries {\n    max_retries = 10\n  }`}
}

locals {
  tasks = jsondecode(file("declared.json"))
}

resource "restapi_object" "copy" {
  count        = length(local.tasks)
  path         = "/task/copy"
  create_path  = "/task/copy?${query}"
  id_attribute = "data/taskId"
  data         = "null"
  read_path    = "/data/all?taskId={id}&offset=0&size=1"
  destroy_path = "/data/all?taskId={id}&offset=0&size=1"
  destroy_method            = "GET"
  ignore_server_additions = true
}

resource "restapi_object" "open" {
  count = length(local.tasks)
  path  = "/task/updateActionProperties"
  data  = jsonencode({
    taskId  = restapi_object.copy[count.index].id
    actions = [{ actionType = "${actionType}", actionId = "${openActionId}", properties = [{ name = "${propertyName}", value = local.tasks[count.index].url }] }]
  })
  create_path = "/task/updateActionProperties"
  update_path = "/task/updateActionProperties"
  read_data   = jsonencode({ taskIds = [restapi_object.copy[count.index].id], actionTypes = ["${actionType}"] })
  destroy_method = "POST"
  destroy_path   = "/data/remove"
  destroy_data   = jsonencode({ taskId = restapi_object.copy[count.index].id })
${ofTask}
}

resource "restapi_object" "items" {
  count = length(local.tasks)
  path  = "/task/updateLoopItems"
  data  = jsonencode({
    taskId    = restapi_object.copy[count.index].id
    actionId  = "${loopActionId}"
    loopType  = "${loopType}"
    loopItems = local.tasks[count.index].items
    isAppend  = false
  })
  create_path = "/task/updateLoopItems"
  update_path = "/task/updateLoopItems"
  read_data   = jsonencode({ taskIds = [restapi_object.copy[count.index].id], actionTypes = ["LoopAction"] })
  destroy_method = "GET"
  destroy_path   = "/data/all?taskId={id}&offset=0&size=1"
${ofTask}
}
`;
}
