/** Something that the reader can put right. Its message is all that is shown, without a stack. */
export class Problem extends Error {
  override readonly name = "Problem";
}
