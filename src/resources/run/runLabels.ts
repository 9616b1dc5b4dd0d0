import type { CheckContext } from "../resource";

/**
 * Labels start runs: an up with a label starts one run of each CloudRun that has not run under this label yet. The program gives its label to `check`, which keeps the
 * labels of the past among the arguments: so an up without a label, or with one of the past, shows no change.
 */
export interface LabelState {
  /**
   * The last label under which this resource has started or taken over a run. An up under another label (`webextract:runLabel`, `WEBEXTRACT_RUN_LABEL`) starts a
   * new run. An up without a label keeps it.
   */
  runLabel?: string;
  /**
   * The last labels, oldest first.
   * @internal
   */
  __runLabels?: string[];
}

/** A month of nightly runs. The state of each run holds them twice. */
const mostLabels = 30;

export function labelsOf(state: LabelState = {}): string[] {
  const { runLabel, __runLabels } = state;
  return Array.isArray(__runLabels) ? __runLabels : runLabel === undefined ? [] : [runLabel];
}

/** The labels of the state, then those of the arguments. */
export function joinLabels(state: LabelState | undefined, args: LabelState): LabelState {
  return asState([...new Set([...labelsOf(state), ...labelsOf(args)])]);
}

interface LabelArgs extends LabelState {
  taskId: string;
  runOnLabel?: boolean;
  adoptLotNo?: string;
}

/** The labels of the past, with the label of this command if it asks for a new run. */
export function checkLabel(
  { runLabel, ...args }: LabelArgs,
  { previous, replaced, warn }: CheckContext,
): { labels: LabelState; isNew: boolean } {
  const before = previous ?? replaced;
  const labels = labelsOf(before);
  const isOther = runLabel !== undefined && args.runOnLabel !== false && !labels.includes(runLabel);
  // The program says which run this resource is.
  const isPinned = before !== undefined && args.adoptLotNo !== undefined;
  if (isOther && isPinned && before.adoptLotNo === args.adoptLotNo) {
    warn?.(
      `Task "${String(args.taskId)}" gets no run under the label "${runLabel}", because adoptLotNo names its run. ` +
        "Remove adoptLotNo, or set runOnLabel: false.",
    );
  }
  const isNew = isOther && !isPinned;
  return { labels: asState(isNew ? [...labels, runLabel] : labels), isNew };
}

function asState(labels: readonly string[]): LabelState {
  const kept = labels.slice(-mostLabels);
  return kept.length === 0 ? {} : { runLabel: kept.at(-1), __runLabels: kept };
}
