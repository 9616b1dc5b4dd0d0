import type { CheckContext } from "../resource";

/**
 * Labels start runs: an up with a label starts one run of each CloudRun that has not run under this label yet. The
 * program gives its label to `check`, which keeps the previous label if there is none: so an up without a label shows
 * no change. Only the state knows all labels of the past, because a preview shows every argument.
 */
export interface LabelArg {
  /**
   * The last label under which this resource has started or taken over a run. An up without a label keeps it.
   */
  runLabel?: string;
}

export interface LabelState extends LabelArg {
  /**
   * The last labels, oldest first.
   * @internal
   */
  __runLabels?: string[];
}

/** A month of nightly runs. */
const mostLabels = 30;

export function labelsOf(state: LabelState = {}): string[] {
  const { runLabel, __runLabels } = state;
  return Array.isArray(__runLabels) ? __runLabels : runLabel === undefined ? [] : [runLabel];
}

/** The labels of the state, then those of the arguments. */
export function joinLabels(state: LabelState | undefined, args: LabelState): LabelState {
  const labels = [...new Set([...labelsOf(state), ...labelsOf(args)])].slice(-mostLabels);
  return labels.length === 0 ? {} : { runLabel: labels.at(-1), __runLabels: labels };
}

interface LabelledArgs extends LabelArg {
  taskId: string;
  runOnLabel?: boolean;
  adoptLotNo?: string;
}

/**
 * The label of this command if it can ask for a new run, else the previous one. Whether it does ask for one, only the
 * state knows.
 */
export function checkLabel({ runLabel, ...args }: LabelledArgs, { previous, replaced, warn }: CheckContext): LabelArg {
  const before: LabelState & { adoptLotNo?: unknown } = previous ?? replaced ?? {};
  const isGiven = runLabel !== undefined && args.runOnLabel !== false && !labelsOf(before).includes(runLabel);
  // The program says which run this resource is.
  const isPinned = (previous ?? replaced) !== undefined && args.adoptLotNo !== undefined;
  if (isGiven && isPinned && before.adoptLotNo === args.adoptLotNo) {
    warn?.(
      `Task "${String(args.taskId)}" gets no run under the label "${runLabel}", because adoptLotNo names its run. ` +
        "Remove adoptLotNo, or set runOnLabel: false.",
    );
  }
  const label = isGiven && !isPinned ? runLabel : before.runLabel;
  return label === undefined ? {} : { runLabel: label };
}
