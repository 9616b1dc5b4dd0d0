/** Dynamic providers as in Pulumi's guide: classes in the program that call the service, with a new provider in each constructor. */
import * as pulumi from "@pulumi/pulumi";
import axios from "axios";
import { actionType, loopActionId, loopType, openActionId, template, workOfProgram } from "./work";

interface CopyInputs {
  sourceTaskId: string;
  taskGroupId: string;
}

class CopyProvider implements pulumi.dynamic.ResourceProvider<CopyInputs, CopyInputs> {
  private baseUrl = "";
  private headers = {};

  async configure({ config }: pulumi.dynamic.ConfigureRequest): Promise<void> {
    this.baseUrl = config.require("webextract:baseUrl");
    this.headers = { Authorization: `Bearer ${config.require("webextract:accessToken")}` };
  }

  async create(inputs: CopyInputs) {
    const params = { taskId: inputs.sourceTaskId, taskGroupId: inputs.taskGroupId };
    const answer = await axios.post(`${this.baseUrl}/task/copy`, undefined, { params, headers: this.headers });
    return { id: answer.data.data.taskId, outs: inputs };
  }

  async read(id: string, props?: CopyInputs) {
    const body = { taskIds: [id], actionTypes: [] };
    await axios.post(`${this.baseUrl}/task/getActions`, body, { headers: this.headers });
    return { id, props };
  }

  async diff(_id: string, olds: CopyInputs, news: CopyInputs) {
    const replaces: string[] = [];
    if (olds.sourceTaskId !== news.sourceTaskId) replaces.push("sourceTaskId");
    if (olds.taskGroupId !== news.taskGroupId) replaces.push("taskGroupId");
    return { changes: replaces.length > 0, replaces };
  }

  async delete(id: string) {
    await axios.post(`${this.baseUrl}/data/remove`, { taskId: id }, { headers: this.headers });
  }
}

class Copy extends pulumi.dynamic.Resource {
  constructor(name: string, args: CopyInputs, opts?: pulumi.CustomResourceOptions) {
    super(new CopyProvider(), name, args, opts);
  }
}

interface PropertyInputs {
  taskId: string;
  actionId: string;
  actionType: string;
  name: string;
  value: string;
}

class PropertyProvider implements pulumi.dynamic.ResourceProvider<PropertyInputs, PropertyInputs> {
  private baseUrl = "";
  private headers = {};

  async configure({ config }: pulumi.dynamic.ConfigureRequest): Promise<void> {
    this.baseUrl = config.require("webextract:baseUrl");
    this.headers = { Authorization: `Bearer ${config.require("webextract:accessToken")}` };
  }

  async create(inputs: PropertyInputs) {
    await this.write(inputs);
    return { id: `${inputs.taskId}/${inputs.actionId}/${inputs.name}`, outs: inputs };
  }

  async read(id: string, props?: PropertyInputs) {
    if (props === undefined) throw new Error("there is nothing to read");
    const body = { taskIds: [props.taskId], actionTypes: [props.actionType] };
    const answer = await axios.post(`${this.baseUrl}/task/getActions`, body, { headers: this.headers });
    const actions: { actionId: string; properties: { name: string; value: string }[] }[] = answer.data.data[0].actions;
    const action = actions.find((each) => each.actionId === props.actionId);
    const value = action?.properties.find((each) => each.name === props.name)?.value ?? props.value;
    return { id, props: { ...props, value } };
  }

  async diff(_id: string, olds: PropertyInputs, news: PropertyInputs) {
    const replaces = olds.taskId === news.taskId ? [] : ["taskId"];
    return { changes: replaces.length > 0 || olds.value !== news.value, replaces };
  }

  async update(_id: string, _olds: PropertyInputs, news: PropertyInputs) {
    await this.write(news);
    return { outs: news };
  }

  private async write({ taskId, actionId, actionType, name, value }: PropertyInputs) {
    const body = { taskId, actions: [{ actionType, actionId, properties: [{ name, value }] }] };
    await axios.post(`${this.baseUrl}/task/updateActionProperties`, body, { headers: this.headers });
  }
}

class Property extends pulumi.dynamic.Resource {
  constructor(name: string, args: InputsOf<PropertyInputs>, opts?: pulumi.CustomResourceOptions) {
    super(new PropertyProvider(), name, args, opts);
  }
}

interface LoopInputs {
  taskId: string;
  actionId: string;
  loopType: string;
  loopItems: string[];
}

class LoopProvider implements pulumi.dynamic.ResourceProvider<LoopInputs, LoopInputs> {
  private baseUrl = "";
  private headers = {};

  async configure({ config }: pulumi.dynamic.ConfigureRequest): Promise<void> {
    this.baseUrl = config.require("webextract:baseUrl");
    this.headers = { Authorization: `Bearer ${config.require("webextract:accessToken")}` };
  }

  async create(inputs: LoopInputs) {
    await this.write(inputs);
    return { id: `${inputs.taskId}/${inputs.actionId}`, outs: inputs };
  }

  async read(id: string, props?: LoopInputs) {
    if (props === undefined) throw new Error("there is nothing to read");
    const body = { taskIds: [props.taskId], actionTypes: ["LoopAction"] };
    const answer = await axios.post(`${this.baseUrl}/task/getActions`, body, { headers: this.headers });
    const actions: { actionId: string; loopItems: string[] }[] = answer.data.data[0].actions;
    const loopItems = actions.find((each) => each.actionId === props.actionId)?.loopItems ?? props.loopItems;
    return { id, props: { ...props, loopItems } };
  }

  async diff(_id: string, olds: LoopInputs, news: LoopInputs) {
    const replaces = olds.taskId === news.taskId ? [] : ["taskId"];
    const changes = JSON.stringify(olds.loopItems) !== JSON.stringify(news.loopItems);
    return { changes: changes || replaces.length > 0, replaces };
  }

  async update(_id: string, _olds: LoopInputs, news: LoopInputs) {
    await this.write(news);
    return { outs: news };
  }

  private async write({ taskId, actionId, loopType, loopItems }: LoopInputs) {
    const body = { taskId, actionId, loopType, loopItems, isAppend: false };
    await axios.post(`${this.baseUrl}/task/updateLoopItems`, body, { headers: this.headers });
  }
}

class Loop extends pulumi.dynamic.Resource {
  constructor(name: string, args: InputsOf<LoopInputs>, opts?: pulumi.CustomResourceOptions) {
    super(new LoopProvider(), name, args, opts);
  }
}

type InputsOf<T> = { [K in keyof T]: pulumi.Input<T[K]> };

for (const { name, url, items } of workOfProgram()) {
  const copy = new Copy(name, { ...template });
  const property = { taskId: copy.id, actionId: openActionId, actionType, name: "Url", value: url };
  new Property(`${name}-open`, property);
  new Loop(`${name}-items`, { taskId: copy.id, actionId: loopActionId, loopType, loopItems: items });
}
