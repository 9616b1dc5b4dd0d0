import assert from "node:assert/strict";
import { terminalPicture, textInPicture } from "../../scripts/docs/terminalPicture";

const red = "\u001b[38;5;1m";
const bold = "\u001b[1m";
const plain = "\u001b[0m";

describe("a picture of a terminal", () => {
  it("shows the text of the output, below the command", () => {
    const picture = terminalPicture({
      title: "t",
      command: "pulumi up",
      output: `\n${red}a ${plain}<b>\n\n   c & d  \n`,
    });
    assert.equal(textInPicture(picture), "$ pulumi up\na <b>\n\n   c & d");
  });

  it("keeps a style across lines until it ends", () => {
    const picture = terminalPicture({ title: "t", output: `${red}one\n${bold}two${plain} three` });
    const styles = [...picture.matchAll(/<text [^>]*?( fill="[^"]*")?( font-weight="bold")? xml[^>]*>(.*)<\/text>/g)];
    assert.deepEqual(
      styles.map(([, colour, weight, text]) => [text, colour !== undefined, weight !== undefined]),
      [
        ["one", true, false],
        ["two", true, true],
        ["three", false, false],
      ],
    );
  });

  it("puts each style at its column", () => {
    const picture = terminalPicture({ title: "t", output: `ab  ${red}cd` });
    const [first, second] = [...picture.matchAll(/<text x="([\d.]+)"/g)].map(([, x]) => Number(x));
    assert.ok(first !== undefined && second !== undefined);
    assert.equal((second - first).toFixed(1), (4 * 8.4).toFixed(1));
  });

  it("continues a long line on the next one, below its first word and with its style", () => {
    const picture = terminalPicture({ title: "t", output: `  ${red}${"word ".repeat(30)}${plain}end` });
    const lines = textInPicture(picture).split("\n");
    assert.deepEqual(lines, [`  ${"word ".repeat(20)}`.trimEnd(), `  ${"word ".repeat(10)}end`]);
    assert.equal([...picture.matchAll(/fill="#ff7b72"/g)].length, 2);
  });

  it("breaks a word that is longer than a line", () => {
    const lines = textInPicture(terminalPicture({ title: "t", output: "x".repeat(250) })).split("\n");
    assert.deepEqual(
      lines.map((line) => line.length),
      [104, 104, 42],
    );
  });

  it("has a title for readers who cannot see it", () => {
    assert.match(terminalPicture({ title: "what <it> shows", output: "a" }), /<title>what &lt;it&gt; shows<\/title>/);
  });

  it("refuses an unknown style", () => {
    assert.throws(() => terminalPicture({ title: "t", output: "\u001b[7ma" }), /no style for ESC\[7m/);
  });
});
