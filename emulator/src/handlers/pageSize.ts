import type { Behaviour } from "../behaviour";
import { Refusal } from "../errors";

/** Applies a maximum page size (0: none): refuses or clamps, depending on the behaviour `pageTooLarge`. */
export function allowedSize(size: number, maximum: number, behaviour: Behaviour): number {
  if (size < 1) throw new Refusal("InvalidParameter", "size must be at least 1");
  if (maximum === 0 || size <= maximum) return size;
  if (behaviour.pageTooLarge === "clamped") return maximum;
  throw new Refusal("InvalidParameter", `size must be at most ${maximum}`);
}
