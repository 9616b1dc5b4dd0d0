import type { PeerResult, PeersResult, PhaseName, PhaseResult } from "../peers/result";
import { phases } from "../peers/result";

/** Marks figures in tables and legends that were not measured. */
export const extrapolatedNote = "extrapolated";

/**
 * The engine saves its complete state at each step, so times grow with the square of the stack's size. For a peer that was not measured in
 * a large run, takes the values of the parabola through its three largest measured runs.
 */
export function withExtrapolated(results: readonly PeersResult[]): PeersResult[] {
  const names = [...new Set(results.flatMap(({ peers }) => peers.map(({ peer }) => peer)))];
  return results.map((result) => {
    const missing = names.filter((name) => !result.peers.some(({ peer }) => peer === name));
    const alike = results.filter(({ requestsPerSecond }) => requestsPerSecond === result.requestsPerSecond);
    const added = missing.flatMap((name) => extrapolated(name, result.tasks, alike) ?? []);
    return { ...result, peers: [...result.peers, ...added] };
  });
}

function extrapolated(name: string, tasks: number, results: readonly PeersResult[]): PeerResult | undefined {
  const known = results
    .flatMap((each) => each.peers.filter(({ peer }) => peer === name).map((peer) => ({ tasks: each.tasks, peer })))
    .filter((each) => each.tasks < tasks)
    .slice(-3);
  if (known.length < 3) {
    return undefined;
  }
  const at = (read: (peer: PeerResult) => number | undefined): number | undefined => {
    const points = known.map((each) => [each.tasks, read(each.peer)] as const);
    return parabola(points, tasks);
  };
  const entries = phases.flatMap((phase): [PhaseName, PhaseResult][] => {
    const wallSeconds = at((peer) => peer.phases[phase]?.wallSeconds);
    const cpuSeconds = at((peer) => peer.phases[phase]?.cpuSeconds);
    const requests = at((peer) => peer.phases[phase]?.requests);
    const programMegabytes = at((peer) => peer.phases[phase]?.programMegabytes);
    return wallSeconds === undefined || cpuSeconds === undefined || requests === undefined
      ? []
      : [[phase, { wallSeconds, cpuSeconds, requests: Math.round(requests), refused: 0, programMegabytes }]];
  });
  return {
    peer: name,
    note: extrapolatedNote,
    stateBytes: at(({ stateBytes }) => stateBytes),
    resources: at(({ resources }) => resources),
    bytesOfResource: at(({ bytesOfResource }) => bytesOfResource),
    phases: Object.fromEntries(entries),
  };
}

/** Lagrange's form of the parabola through three points. */
function parabola(points: readonly (readonly [number, number | undefined])[], at: number): number | undefined {
  let sum = 0;
  for (const [x, y] of points) {
    if (y === undefined) {
      return undefined;
    }
    const others = points.filter(([other]) => other !== x);
    sum += others.reduce((product, [other]) => (product * (at - other)) / (x - other), y);
  }
  return sum;
}
