import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../../scripts/commands";
import type { DocComments } from "../../scripts/docs/docComments";
import { docComments } from "../../scripts/docs/docComments";
import { withParts } from "../../scripts/docs/parts";
import { partsOfResource, pathOfPage } from "../../scripts/docs/resourcePage";
import type { AnyResource } from "../internals/resources";
import { resources } from "../internals/resources";

describe("the page of a resource", () => {
  const { TaskCopy, CloudRun, TaskParameters } = resources;
  assert.ok(TaskCopy && CloudRun && TaskParameters);
  let docs: DocComments;
  before(() => {
    docs = docComments();
  });

  function partsOf(resource: AnyResource) {
    const complaints: string[] = [];
    const { required, optional = {} } = partsOfResource(resource, docs, complaints);
    return { complaints, required, optional };
  }

  it("has a name with hyphens", () => {
    assert.equal(pathOfPage("TaskStartUrls"), "docs/reference/task-start-urls.md");
  });

  it("has a row for each argument and field with its type and default, and one for each output", () => {
    const both = [partsOf(CloudRun), partsOf(TaskParameters)];
    assert.deepEqual(
      both.map(({ complaints }) => complaints),
      [[], []],
    );
    const text = both.map(({ required }) => `${required.arguments}\n${required.outputs}`).join("\n");
    const bracketsOf = (path: string): string | undefined => text.split(`- \`${path}\` (`)[1]?.split("): ")[0];
    assert.equal(bracketsOf("taskId"), "string; required");
    assert.equal(bracketsOf("pollSeconds"), "number, at least 0; default `10`");
    assert.equal(bracketsOf("statuses.failed"), "list of strings");
    assert.match(text, /^- `updatedParameters`: .*Secret/m);
    assert.match(text, /^- `lotNo`: /m);
    for (const path of ["ownList", "previous", "profile"]) assert.ok(!text.includes(`- \`${path}\``), path);
  });

  it("names every field that a program's class shows, and the class hides the other ones", () => {
    const hidden = Object.values(resources).flatMap(({ type, args, outputs }) => {
      const { names, fields } = docs.of(`${type}State`);
      const isShown = (name: string): boolean => name in args || (outputs.includes(name) && !fields(name)?.isInternal);
      return names.filter((name) => !isShown(name));
    });
    const source = readFileSync(join(repositoryRoot, "src/program/resourceClass.ts"), "utf8");
    const listed = [...(/^type Internal =([^;]*);/m.exec(source)?.[1] ?? "").matchAll(/"(\w+)"/g)].map(
      ([, name]) => name,
    );
    assert.deepEqual(listed.sort(), [...new Set(hidden)].sort());
  });

  it("describes fields once: another page names the page that does", () => {
    const { ExtractionTask } = resources;
    assert.ok(ExtractionTask);
    const [whole = "", part = ""] = [ExtractionTask, TaskParameters].map((each) => partsOf(each).required.arguments);
    assert.ok(whole.includes('- `actions.*.loop.mode` (`"replace"`, `"append"`; default `"replace"`): '));
    assert.doesNotMatch(part, /loop\.mode/);
    assert.match(part, /^- `actions` .* Its fields: \[ExtractionTask\]\(extraction-task\.md#arguments\)\.$/m);
  });

  it("is refused if a doc comment is missing or contradicts the description", () => {
    const { args } = TaskCopy;
    const wrong = {
      ...TaskCopy,
      args: {
        ...args,
        onDelete: { ...args.onDelete, default: "retain" },
        forceDestroy: { ...args.forceDestroy, default: true },
        retry: { ...args.retry, replaces: true },
        colour: { ...args.retry },
      },
    };
    const paths = partsOf(wrong).complaints.map((complaint) => complaint.split(/[: ]/)[0]);
    assert.deepEqual(paths, ["TaskCopy.onDelete", "TaskCopy.forceDestroy", "TaskCopy.retry", "TaskCopy.colour"]);
  });

  it("separates the description from the calls, and describes the id", () => {
    const { description = "", lifecycle = "", outputs = "" } = partsOf(CloudRun).required;
    assert.match(description, /^One run of a task/);
    assert.doesNotMatch(description, /\| step/);
    assert.match(lifecycle, /^\| step \| call \|\n[\s\S]*\n\nWhen a wait/);
    assert.match(outputs, /^- `id`: The same as `lotNo`\.$/m);
  });

  it("shows real previews, without the other resources of the same program", () => {
    const preview = partsOf(TaskCopy).optional['preview "another source"'] ?? "";
    assert.match(preview, /^```text\n\+-pulumi-nodejs:dynamic\/webextract:TaskCopy: \(replace\)\n/);
    assert.match(preview, /sourceTaskId: "template-1" => "template-2"\n```$/);
  });
});

describe("generated parts of a page", () => {
  const parts = { command: "npm run docs", required: { list: "- new" }, optional: { more: "- more" } };
  const page = "# A\n\n<!-- npm run docs: list -->\n- old\n<!-- end -->\n\nby hand\n";

  it("replace the text between their comments", () => {
    const now = withParts(page, parts);
    assert.equal(now, page.replace("- old\n", "\n- new\n\n"));
    assert.equal(withParts(now, parts), now);
  });

  it("are refused if they are missing, not known, or without an end", () => {
    assert.throws(() => withParts("# A\n", parts), /lacks the part <!-- npm run docs: list/);
    assert.throws(() => withParts(page.replace("list", "lists"), parts), /has the part "lists.*writes "list", "more"/);
    assert.throws(
      () => withParts(page.replace("<!-- end -->", ""), parts),
      /lacks the line <!-- end --> after the part "list"/,
    );
  });
});
