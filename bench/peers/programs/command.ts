/** `@pulumi/command` with curl: three commands per task. The class of the SDK only names the type, so this program does the same. */
import * as pulumi from "@pulumi/pulumi";
import { actionType, loopActionId, loopType, openActionId, propertyName, template, workOfProgram } from "./work";

interface CommandArgs {
  create: string;
  delete?: string;
  environment: Record<string, pulumi.Input<string>>;
}

class Command extends pulumi.CustomResource {
  declare readonly stdout: pulumi.Output<string>;

  constructor(name: string, args: CommandArgs, opts?: pulumi.CustomResourceOptions) {
    super("command:local:Command", name, { stdout: undefined, ...args }, opts);
  }
}

const config = new pulumi.Config("webextract");
const access = { BASE: config.require("baseUrl"), TOKEN: config.requireSecret("accessToken") };
const curl = 'curl --silent --show-error --fail --header "Authorization: Bearer $TOKEN"';
const post = `${curl} --header "Content-Type: application/json" --data "$BODY"`;

for (const { name, url, items } of workOfProgram()) {
  const query = new URLSearchParams({ taskId: template.sourceTaskId, taskGroupId: template.taskGroupId });
  const copy = new Command(name, {
    create: `${curl} --request POST "$BASE/task/copy?${query}" | jq --raw-output --join-output .data.taskId`,
    delete: `BODY="{\\"taskId\\":\\"$PULUMI_COMMAND_STDOUT\\"}"; ${post} "$BASE/data/remove"`,
    environment: access,
  });
  const bodyOf = (body: object) => copy.stdout.apply((taskId) => JSON.stringify({ taskId, ...body }));
  const properties = [{ name: propertyName, value: url }];
  new Command(`${name}-open`, {
    create: `${post} "$BASE/task/updateActionProperties"`,
    environment: { ...access, BODY: bodyOf({ actions: [{ actionType, actionId: openActionId, properties }] }) },
  });
  const loop = { actionId: loopActionId, loopType, loopItems: items, isAppend: false };
  new Command(`${name}-items`, {
    create: `${post} "$BASE/task/updateLoopItems"`,
    environment: { ...access, BODY: bodyOf(loop) },
  });
}
