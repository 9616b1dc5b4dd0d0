import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rejectedName } from "../../internals/resources";
import { InProcess, unknownText } from "../../program/inProcess";

describe("the path of an export", () => {
  const folder = mkdtempSync(join(tmpdir(), "webextract-path-"));
  const providers = new InProcess({ baseUrl: "http://127.0.0.1:1" }, folder);
  after(() => rmSync(folder, { recursive: true }));
  const problems = (path: string) => providers.problems("DataExport", { taskId: "t", scope: "all", path });

  it("is no file of this machine if path.join has made one slash of two in it", async () => {
    const joined = join("s3://shop-rows/nightly", "products.ndjson");
    assert.equal(joined, "s3:/shop-rows/nightly/products.ndjson");
    for (const path of [joined, "gs:/bucket/rows", "S3:/b/x", "s3:\\b\\x"]) {
      assert.match(
        (await problems(path)).join(),
        /^path names no object of [\w ,]+ \(path\.join makes one slash of two\)/,
      );
    }
    assert.deepEqual(await problems("C:/rows/all.ndjson"), []);
    assert.deepEqual(await problems("rows/s3/all.ndjson"), []);
  });

  it("has a hint if it contains a backslash, which separates no folders here", async () => {
    assert.deepEqual(await problems("rows\\all.ndjson"), []);
    assert.deepEqual(providers.warnings, [
      'path contains a backslash, which separates no folders on this system. Write "/".',
    ]);
    const list = { taskId: "t", file: "lists\\urls.txt" };
    assert.match((await providers.problems("TaskStartUrls", list)).join(), /does not exist .*it contains a backslash/);
  });

  it("has a hint if it ends like another format than that of its rows, which programs would read wrongly", async () => {
    const warningsOf = async (args: object): Promise<string[]> => {
      const before = providers.warnings.length;
      assert.deepEqual(await providers.problems("DataExport", { taskId: "t", scope: "all", ...args }), []);
      return providers.warnings.slice(before);
    };
    const advice = 'set format "csv", or use another name.';
    assert.deepEqual(await warningsOf({ path: "rows/{n}.csv" }), [
      `path ends like csv, and the rows are written as ndjson: ${advice}`,
    ]);
    assert.deepEqual(await warningsOf({ path: "rows.CSV.gz", format: "json", compression: "gzip" }), [
      `path ends like csv, and the rows are written as json: ${advice}`,
    ]);
    for (const args of [
      { path: "rows.csv", format: "csv" },
      { path: "rows.jsonl" },
      { path: "rows.txt" },
      { path: "rows.parquet", format: "parquet" },
    ]) {
      assert.deepEqual(await warningsOf(args), [], args.path);
    }
  });

  it("is refused if it has a placeholder in another form, with the right one", async () => {
    const batch = (path: string) =>
      providers.problems("DataExport", { taskId: "t", scope: "batch", lotNo: "1", path, format: "ndjson" });
    const forms = [
      "{{lotNo}}",
      "$" + "{lotNo}",
      "<lotNo>",
      ":lotNo",
      "{lotNo",
      "{lotno}",
      "{ lotNo }",
      "lotNo}",
      "$lotNo",
    ];
    for (const form of [
      ...forms,
      "%lotNo%",
      "[lotNo]",
      "(lotNo)",
      "{{lotNo}",
      "{lotNo}}",
      "{LOTNO}",
      "$" + "{{lotNo}}",
    ]) {
      const [problem = "", ...more] = await batch(`rows-${form}.ndjson`);
      assert.match(problem, /^path contains ".+", which is no placeholder: write \{lotNo\}; known placeholders/, form);
      assert.deepEqual(more, []);
    }
    assert.match((await problems("rows/{{time}}.ndjson")).join(), /contains "\{\{time\}\}".*write \{time\}/);
    assert.match((await problems("rows/<n>.ndjson")).join(), /contains "<n>".*write \{n\}/);
    assert.match((await problems("rows/{run}.ndjson")).join(), /contains "\{run\}"; known placeholders/);
    for (const path of [
      "{lotNo}.ndjson",
      "a{lotNo}b.ndjson",
      "rows(n).ndjson",
      "a$nature.ndjson",
      "a{b.ndjson",
      "lotNo.ndjson",
    ]) {
      assert.deepEqual(await batch(path), [], path);
    }
    assert.deepEqual(await batch("{lotNo}-{time}-{n}.ndjson"), []);
  });

  it("has no part of a shell in the program of a command, whose other parts can be for a shell", async () => {
    const inPipe = (...pipe: string[]) =>
      providers.problems("DataExport", { taskId: "t", scope: "all", path: "a.ndjson", pipe });
    for (const [program, part] of [
      ["~/load.sh", "~"],
      ["$HOME/load.sh", "$HOME"],
      ["%USERPROFILE%\\load.exe", "%USERPROFILE%"],
    ] as const) {
      const [said = "", ...others] = await inPipe(program, "{file}");
      assert.deepEqual(others, []);
      assert.ok(said.startsWith(`pipe[0] is a path with "${part}", which only a shell replaces. Write`), said);
    }
    assert.deepEqual(await inPipe("sh", "-c", "~/load.sh", "$HOME/x"), []);
    assert.deepEqual(await inPipe("./~/load.sh"), []);
  });

  it("has the placeholders of a command in it as the path has them, and its own variables stay", async () => {
    const inPipe = (...pipe: string[]) =>
      providers.problems("DataExport", { taskId: "t", scope: "batch", lotNo: "1", path: "a.ndjson", pipe });
    const dollar = "$";
    for (const name of ["lotNo", "file"]) {
      for (const form of [
        `{{${name}}}`,
        `${dollar}{${name}}`,
        `${dollar}{{ ${name} }}`,
        `{${name.toUpperCase()}}`,
        `{ ${name} }`,
        `{${name}`,
        `{${name}/x`,
      ]) {
        assert.deepEqual(
          (await inPipe("load", "{lotNo}", `--rows=${form}`)).map((each) => each.replace(/".+"/, "…")),
          [`pipe[2] contains …, which is no placeholder: write {${name}}; known placeholders are {lotNo}, {file}`],
          form,
        );
      }
    }
    for (const form of ["<lotNo>", ":lotNo", "$lotNo", "%lotNo%", "$LOTNO"]) {
      assert.match(
        (await inPipe("load", form)).join(),
        /^pipe\[1\] contains ".+", which is no placeholder: write/,
        form,
      );
    }
    for (const pipe of [
      ["jq", "--arg", "lotNo", "{lotNo}", "{lotNo: $lotNo, file}"],
      ["psql", "-v", "lotNo={lotNo}", "-c", "INSERT INTO runs (lotNo) VALUES (:lotNo)"],
      ["sh", "-c", 'for file in *; do echo "$file"; done', "-", "{file}"],
      ["awk", "{print $1}"],
    ]) {
      assert.deepEqual(await inPipe(...pipe), [], pipe.join(" "));
    }
  });

  it("has a name that the disk allows, also for its temporary file, which is seen before the run", async () => {
    const batch = { taskId: "t", scope: "batch", lotNo: unknownText };
    const tooLong = /^path has a file name that is too long for this disk, .*: \d+ bytes\. Use a shorter one/;
    assert.match(
      (await providers.problems("DataExport", { ...batch, path: `${"x".repeat(215)}{lotNo}` })).join(),
      tooLong,
    );
    assert.match((await problems(`none/yet/${"ü".repeat(116)}`)).join(), tooLong);
    for (const path of ["x".repeat(231), `${"ü".repeat(115)}`, `s3://shop-rows/${"x".repeat(300)}`]) {
      assert.deepEqual(await problems(path), [], path);
    }
    const returned = new InProcess({ baseUrl: "http://127.0.0.1:1", markScope: "returned" }, folder);
    const marking = { taskId: "t", scope: "notExported", markExported: true, path: `${"x".repeat(200)}{n}` };
    assert.match((await returned.problems("DataExport", marking)).join(), tooLong);
  });

  it("ends like its compression without regard to case", async () => {
    const ofCsv = (path: string, compression?: string) =>
      providers.problems("DataExport", { taskId: "t", scope: "all", path, format: "csv", compression });
    assert.match((await ofCsv("z.csv.GZ")).join(), /^path must not end in "\.gz"/);
    assert.match((await ofCsv("z.csv.Zst")).join(), /^path must not end in "\.zst"/);
    assert.deepEqual(await ofCsv("z.csv.GZ", "gzip"), []);
    assert.equal(rejectedName("z.csv.GZ", 2, "csv"), "z.rejected-2.csv.GZ");
  });
});
