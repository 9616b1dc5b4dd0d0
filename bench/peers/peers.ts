import type { Peer } from "./peer";
import { typescriptPeer, yamlPeer } from "./peer";

/** All peers, in the order of the runs and of the tables. */
export const peers: readonly Peer[] = [
  typescriptPeer({
    name: "ExtractionTask",
    summary: "ours, one resource a task",
    file: "extractionTask",
    runsOn: "dynamic provider",
  }),
  typescriptPeer({
    name: "ExtractionTask, native",
    summary: "the same on the native plugin",
    file: "extractionTask",
    runsOn: "plugin",
  }),
  yamlPeer({ name: "YAML", summary: "the same as a program in YAML, on the native plugin" }),
  typescriptPeer({
    name: "manifests",
    summary: "the same as manifests, with the class Manifest",
    file: "manifests",
    hasManifests: true,
    runsOn: "dynamic provider",
  }),
  yamlPeer({
    name: "manifests, YAML",
    summary: "the same as manifests, with the component of the native plugin",
    hasManifests: true,
  }),
  typescriptPeer({
    name: "fine-grained",
    summary: "ours, three resources a task: TaskCopy, TaskActionConfig, TaskLoopItems",
    file: "fineGrained",
  }),
  typescriptPeer({
    name: "guide-style",
    summary: "a dynamic provider as Pulumi's guide shows, three resources a task",
    file: "guideStyle",
    finds: "changes",
  }),
  typescriptPeer({
    name: "floor",
    summary: "the engine with one resource a task that does nothing",
    file: "floor",
    finds: "nothing",
  }),
  typescriptPeer({
    name: "floor with content",
    summary: "the same, with the content of one of our resources in each",
    file: "floorWithContent",
    finds: "nothing",
  }),
  typescriptPeer({
    name: "floor of three",
    summary: "the engine with three resources a task that do nothing",
    file: "floorOfThree",
    finds: "nothing",
  }),
];
