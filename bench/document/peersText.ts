import type { PeerResult, PeersResult, PhaseName } from "../peers/result";
import { phases } from "../peers/result";
import { goalCells, markdownTable, withUnit } from "../report";
import { ratiosOf } from "./goals";

/** One table for each number of tasks: seconds, processor seconds and requests of each phase; then state and memory. */
export function peersText(results: readonly PeersResult[]): string {
  return results
    .filter(({ requestsPerSecond }) => requestsPerSecond === undefined)
    .map((result) => `### ${result.tasks} tasks\n\nThese were ${measuredText(result)}\n\n${tableOf(result)}`)
    .join("\n\n");
}

function tableOf(run: PeersResult): string {
  const measured = phases.filter((phase) => run.peers.some((peer) => peer.phases[phase] !== undefined));
  const columns = ["peer", ...measured, "state", "a resource", "program"];
  const rows = run.peers.map((peer) => [
    noted(peer.peer, peer.note),
    ...measured.map((phase) => cellOf(peer, phase)),
    ...sizesOf(peer),
  ]);
  return markdownTable(columns, rows);
}

/** How often, when and where the peers were measured. */
function measuredText({ tries, machine, measuredAt }: PeersResult): string {
  return `measured ${tries === 1 ? "once" : `${tries} times`}, ${measuredAt}: ${machine}.`;
}

function noted(name: string, note: string | undefined): string {
  return note === undefined ? name : `${name} (${note})`;
}

function cellOf(peer: PeerResult, phase: PhaseName): string {
  const measured = peer.phases[phase];
  return measured === undefined
    ? ""
    : `${measured.wallSeconds.toFixed(1)} / ${measured.cpuSeconds.toFixed(1)} / ${measured.requests}`;
}

function sizesOf({ stateBytes, bytesOfResource, phases }: PeerResult): string[] {
  const memory = phases["first up"]?.programMegabytes;
  return [
    stateBytes === undefined ? "" : `${Math.round(stateBytes / 1000).toLocaleString("en-US")} kB`,
    bytesOfResource === undefined ? "" : withUnit(Math.round(bytesOfResource), "bytes"),
    memory === undefined ? "" : withUnit(memory, "MB"),
  ];
}

/** The ratios of this package to the other peers, with their goals. */
export function ratiosText(results: readonly PeersResult[]): string {
  const rows = results
    .flatMap(ratiosOf)
    .map((figure) => [
      String(figure.tasks),
      noted(figure.name, figure.note),
      withUnit(figure.value, "x"),
      figure.cpuRatio === undefined ? "" : withUnit(figure.cpuRatio, "x"),
      ...goalCells(figure),
    ]);
  return markdownTable(["tasks", "ratio", "measured", "processor time", "goal", "kept"], rows);
}

/** Requests of a refresh and an up after a changed value and a missing task. */
export function repairText(results: readonly PeersResult[]): string {
  const rows = results
    .filter(({ requestsPerSecond }) => requestsPerSecond === undefined)
    .flatMap(({ tasks, peers }) =>
      peers.flatMap(({ peer, repair }) =>
        repair === undefined ? [] : [[String(tasks), peer, String(repair.refreshRequests), String(repair.upRequests)]],
      ),
    );
  return markdownTable(["tasks", "peer", "requests of the refresh", "of the up that repairs"], rows);
}

/** The first up with a rate limit, as a share of what the limit allows. */
export function limitedText(results: readonly PeersResult[]): string {
  const runs = results.filter(({ requestsPerSecond }) => requestsPerSecond !== undefined);
  const rows = runs.flatMap(({ tasks, requestsPerSecond = 0, peers }) =>
    peers.flatMap((peer) => {
      const first = peer.phases["first up"];
      const cells = [String(tasks), noted(peer.peer, peer.note)];
      if (first === undefined) {
        return peer.note === undefined ? [] : [[...cells, "", "", "", ""]];
      }
      const { wallSeconds, requests, refused } = first;
      if (requests === 0) {
        return [];
      }
      const least = (requests - refused) / requestsPerSecond;
      const share = `${Math.round((least / wallSeconds) * 100)} %`;
      const seconds = `${wallSeconds.toFixed(1)} s of ${least.toFixed(1)} s`;
      return [[...cells, String(requests), String(refused), seconds, share]];
    }),
  );
  const titles = ["tasks", "peer", "requests", "refused", "first up, of what the limit takes", "share"];
  return [markdownTable(titles, rows), ...runs.map((result) => `${result.tasks} tasks: ${measuredText(result)}`)].join(
    "\n\n",
  );
}
