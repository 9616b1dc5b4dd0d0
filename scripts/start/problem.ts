/** An error that the user can correct. Only its message is shown, without a stack trace. */
export class Problem extends Error {
  override readonly name = "Problem";
}
