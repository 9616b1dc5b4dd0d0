import { curlPeer } from "./curlPeer";
import { missingPrograms } from "./onPath";
import type { Peer } from "./peer";
import { pulumiPeer } from "./pulumiPeer";
import { restapiPeer } from "./restapiPeer";

/** All peers, in the order of the runs and of the tables. */
export const peers: readonly Peer[] = [
  pulumiPeer({
    name: "ExtractionTask",
    summary: "ours, one resource a task",
    program: "extractionTask",
    findsChanges: true,
    survivesLoss: true,
  }),
  pulumiPeer({
    name: "fine-grained",
    summary: "ours, three resources a task: TaskCopy, TaskActionConfig, TaskLoopItems",
    program: "fineGrained",
    findsChanges: true,
    survivesLoss: true,
  }),
  pulumiPeer({
    name: "guide-style",
    summary: "a dynamic provider as Pulumi's guide shows, three resources a task",
    program: "guideStyle",
    findsChanges: true,
  }),
  pulumiPeer({
    name: "floor",
    summary: "the engine with one resource a task that does nothing",
    program: "floor",
    works: false,
  }),
  pulumiPeer({
    name: "floor with content",
    summary: "the same, with the content of one of our resources in each",
    program: "floorWithContent",
    works: false,
  }),
  pulumiPeer({
    name: "floor of three",
    summary: "the engine with three resources a task that do nothing",
    program: "floorOfThree",
    works: false,
  }),
  pulumiPeer({
    name: "command",
    summary: "@pulumi/command with curl, three commands a task",
    program: "command",
    missing: () => missingPrograms("pulumi-resource-command", "curl", "jq"),
  }),
  restapiPeer,
  curlPeer,
];
