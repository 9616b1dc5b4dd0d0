/** Searches the tables of a page. A row is shown if it contains each word. */
export const script = `
for (const search of document.querySelectorAll(".search")) {
  const rows = [...document.getElementById(search.dataset.table).tBodies[0].rows].map((row) => ({
    row,
    text: [...row.cells].map((cell) => cell.textContent.toLowerCase()).join("\\n"),
  }));
  const status = search.querySelector("[role=status]");
  search.hidden = rows.length < 2;
  search.querySelector("input").addEventListener("input", ({ target }) => {
    const words = target.value.toLowerCase().split(" ").filter((word) => word !== "");
    let shown = 0;
    for (const { row, text } of rows) {
      row.hidden = !words.every((word) => text.includes(word));
      shown += row.hidden ? 0 : 1;
    }
    status.textContent = shown + " of " + rows.length + " lines";
  });
}
`;
