import assert from "node:assert/strict";
import { slowIt } from "../environment";
import { World } from "./world";

const wrong = `
const good = new TaskCopy("good", { adoptTaskId: "template-1" });
new TaskActionConfig("one", { taskId: "template-1", actions: {}, colour: "red" });
new TaskCopy("two", { sourceTaskId: "template-1" });
new TaskLoopItems("three", { taskId: good.id, actionId: "each", loopType: pulumi.secret("hidden-4402") });
new TaskStartUrls("four", { taskId: pulumi.output("template-1"), urls: ["https://ok.test/", "nonsense"] });
`;

/** The problems of {@link wrong}: resource and path. */
const problems = ["four urls[1]", "one actions", "one colour", "three items", "two taskGroupId"];

/** A transformation of the stack that makes the arguments valid. */
const mend = `
const mend = (props) => ({
  ...props,
  ...(props.colour && { colour: undefined, actions: { open: { actionType: "NavigateAction", properties: { Wait: "1" } } } }),
  ...(props.sourceTaskId && { taskGroupId: "group-1", onDelete: "retain" }),
  ...(props.loopType && { items: ["https://old.test/item"], loopType: "UrlList" }),
  ...("urls" in props && { urls: "https://ok.test/" }),
});
pulumi.runtime.registerStackTransformation(({ props, opts }) => ({ props: mend(props), opts }));
`;

describe("several resources with invalid arguments on the engine", () => {
  let world: World;
  before(async () => {
    world = await World.create({ program: wrong });
  });
  after(() => world.remove());

  /** Each problem that a failed preview shows, in whatever way. */
  const shown = (output: string): string[] => {
    const diagnostics = output.slice(output.indexOf("Diagnostics:"), output.indexOf("\nResources:"));
    const own = [...diagnostics.matchAll(/resource '(\w+)' has a problem: ([\w[\]]+)/g)];
    const others = [...diagnostics.matchAll(/^ +\w+ "(\w+)": ([\w[\]]+)/gm)];
    return [...own, ...others].map(([, name, path]) => `${name} ${path}`).sort();
  };

  it("show all of their problems in one preview, each once", async () => {
    const { output } = await world.project.preview({ expect: "failure" });
    assert.deepEqual(shown(output), problems, output);
    assert.match(output, /error: Other resources have invalid arguments too:\n/);
    assert.doesNotMatch(output, /hidden-4402|__otherProblems/);
  });

  it("cause no failure if a transformation of the stack corrects them, and are in no state", async () => {
    world.program(mend + wrong);
    await world.project.up();
    assert.ok(!JSON.stringify(world.project.state()).includes("Other resources have"));
  });

  slowIt("cause no failure if the command excludes them", async () => {
    world.program(wrong);
    const { output } = await world.project.up({ args: ["--target", "**good"] });
    assert.doesNotMatch(output, /invalid|problem/);
    assert.ok(!JSON.stringify(world.project.state()).includes("Other resources have"));
  });
});
