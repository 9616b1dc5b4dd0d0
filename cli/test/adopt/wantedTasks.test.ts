import assert from "node:assert/strict";
import fc from "../../../test/fastCheck";
import { taskOfArgument, tasksOfFile } from "../internals/adopt";

describe("the tasks to adopt", () => {
  it("have the name after the last sign of an argument, and ids keep theirs", () => {
    for (const [given, taskId, name] of [
      ["shop-1", "shop-1", undefined],
      ["shop-1=books", "shop-1", "books"],
      ["QUJD==", "QUJD==", undefined],
      ["QUJD===books", "QUJD==", "books"],
      ["=books", "=books", undefined],
    ] as const) {
      assert.deepEqual(taskOfArgument(given), name === undefined ? { taskId } : { taskId, name });
    }
  });

  const read = (text: string): unknown[] =>
    tasksOfFile(text, "ids.csv").map(({ taskId, name = "", group = "" }) => [taskId, name, group]);

  it("are one on each line of a file: id, name, group", () => {
    const text = '\uFEFF# from the editor\r\na\r\n\r\nb, Books \r\nc,,Shops\r\n"d,1", "The ""D"" shop" ,Shops';
    assert.deepEqual(read(text), [
      ["a", "", ""],
      ["b", "Books", ""],
      ["c", "", "Shops"],
      ["d,1", 'The "D" shop', "Shops"],
    ]);
  });

  it("are separated as in the first line that is neither blank nor a comment", () => {
    assert.deepEqual(read("# exported; do not edit\nb,Books,Shops"), [["b", "Books", "Shops"]]);
    assert.deepEqual(read("\n# id, name\nid;name\nb;Books"), [["b", "Books", ""]]);
    assert.deepEqual(read('"b;1",Books\nc,"New, and used"'), [
      ["b;1", "Books", ""],
      ["c", "New, and used", ""],
    ]);
  });

  it("are found by the titles of a CSV, with commas, semicolons or tabs, wherever the columns stand", () => {
    for (const separator of [",", ";", "\t"]) {
      const lines = [
        ["Task Name", "Created", "Task ID", "Task_Group"],
        ["Books", "2026-01-01", "a", "Shops"],
        ["", "2026-01-02", "b", ""],
      ];
      const text = lines.map((cells) => cells.join(separator)).join("\n");
      assert.deepEqual(read(`${text}\n`), [
        ["a", "Books", "Shops"],
        ["b", "", ""],
      ]);
    }
  });

  it("are read from a list of JSON, and by Chinese titles", () => {
    assert.deepEqual(read(' ["a", "b c"]'), [
      ["a", "", ""],
      ["b c", "", ""],
    ]);
    const list = [
      { taskName: "Shop", taskId: "a" },
      { taskId: "b", taskGroup: "Shops", rows: 3 },
    ];
    assert.deepEqual(read(JSON.stringify(list, undefined, 2)), [
      ["a", "Shop", ""],
      ["b", "", "Shops"],
    ]);
    assert.deepEqual(read("任务ID,任务名称,任务组\na,商品,店\n"), [["a", "商品", "店"]]);
  });

  it("have the separator that Excel's first line names", () => {
    for (const line of ["sep=;", "\uFEFFSEP=;\r", '"sep=;"']) {
      assert.deepEqual(read(`${line}\ntaskId;taskName\na;Kids, all\n`), [["a", "Kids, all", ""]], line);
    }
    assert.deepEqual(read("sep=\t\na\tKids; all\n"), [["a", "Kids; all", ""]]);
    assert.deepEqual(read("sep=,\na,Kids\n"), [["a", "Kids", ""]]);
  });

  it("are not what a table for people or titles in another language contain", () => {
    for (const [text, words] of [
      ["id      name\nshop-1  Shop\n", 'ids.csv:1: "id      name" is no id of a task. A line is id, or id,name, '],
      ["| id | name |\n", 'ids.csv:1: "| id | name |" is no id of a task.'],
      ["Aufgaben-Nummer für uns;Name\na;b", 'ids.csv:1: "Aufgaben-Nummer für uns" is no id of a task.'],
      ["Aufgabe\n4f6c2a9e\nshop-2\n", 'ids.csv:1: "Aufgabe" seems to be a title, and no known one. Titles are such as'],
      ["# von uns\nTarea;Nombre\nshop-1;Libros\n", 'ids.csv:2: "Tarea" seems to be a title, and no known one.'],
      ...["Aufgaben-ID", "Aufgaben ID", "Aufgaben_ID", "ID-задачи"].map(
        (title) => [`${title};Name\nshop-1;a`, `ids.csv:1: "${title}" seems to be a title, `] as const,
      ),
      ["sep=;\nAufgaben-ID;Name\nshop-1;a", 'ids.csv:2: "Aufgaben-ID" seems to be a title, '],
      ["numero_tarea,nombre\n17,Libros\n", 'ids.csv:1: "numero_tarea" seems to be a title, '],
      ['{"data":[{"taskId":"a"}]}', "ids.csv: is JSON, and no list of ids or of objects with taskId, "],
      ['[{"sku":"a"}]', "ids.csv: is JSON, and no list of ids"],
      ["[1]", "ids.csv:1: must be id"],
      ["PK\u0003\u0004\0workbook", "ids.csv: is no text in UTF-8. Save a table as CSV in UTF-8."],
      ["\uFFFD\uFFFDi\0d\0", "ids.csv: is no text in UTF-8."],
    ] as const) {
      assert.throws(
        () => read(text),
        (error: Error) => error.message.startsWith(words),
        text,
      );
    }
  });

  it("can be words, if another id is one too or if quotation marks say so", () => {
    assert.deepEqual(read("books\nshop-2\nkids\n"), [
      ["books", "", ""],
      ["shop-2", "", ""],
      ["kids", "", ""],
    ]);
    assert.deepEqual(read('"books"\nshop-2\n'), [
      ["books", "", ""],
      ["shop-2", "", ""],
    ]);
    assert.deepEqual(read("books"), [["books", "", ""]]);
  });

  it("come back from any CSV as they were written", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "é", "=", "#", '"', ",", ";", " x", "1") });
    const id = text.filter((each) => each.trim() !== "" && !each.trim().startsWith("#"));
    const cell = (each: string): string => `"${each.replaceAll('"', '""')}"`;
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(id, text, text), { minLength: 1, selector: ([each]) => each.trim() }),
        (rows) => {
          const file = ["id,name,group", ...rows.map((row) => row.map(cell).join(","))].join("\n");
          assert.deepEqual(
            read(file),
            rows.map((row) => row.map((each) => each.trim())),
          );
        },
      ),
    );
  });

  it("are refused with the first line that is wrong", () => {
    for (const [text, line] of [
      ["a,Books\n,none\n", 2],
      ["a\n\nb,B,G,more\n", 3],
      ["name,id\nBooks,\n", 2],
    ] as const) {
      assert.throws(() => tasksOfFile(text, "ids.csv"), {
        message: `ids.csv:${line}: must be id, or id,name, or id,name,group. No request was sent.`,
      });
    }
    for (const empty of ["", "\n# nothing\n", "id,name\n"]) {
      assert.throws(() => tasksOfFile(empty, "ids.csv"), /^CliError: ids\.csv: names no task\./);
    }
  });
});
