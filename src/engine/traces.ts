import { collectSpans } from "../system/spans";
import type { EngineSpans, Grpc } from "./openTelemetry";

/** Begins a call of the engine, with the `traceparent` of its metadata. */
export type EnterCall = (traceparent: unknown) => void;

/**
 * Sends spans to the engine if the user collects traces (`pulumi up --otel-traces ADDRESS`). Otherwise, nothing is
 * loaded, and it returns undefined.
 */
export function connectTraces(
  grpc: () => Grpc,
  { PULUMI_OTEL_EXPORTER_OTLP_ENDPOINT, TRACEPARENT } = process.env,
): EnterCall | undefined {
  if (!PULUMI_OTEL_EXPORTER_OTLP_ENDPOINT) return undefined;
  try {
    // biome-ignore lint/style/noCommonJs: loaded only where the user collects traces
    const { EngineSpans } = require("./openTelemetry") as typeof import("./openTelemetry");
    const spans: EngineSpans = new EngineSpans(PULUMI_OTEL_EXPORTER_OTLP_ENDPOINT, grpc(), TRACEPARENT);
    collectSpans(spans);
    return (traceparent) => spans.enter(traceparent);
  } catch {
    // A command without spans is better than none.
    return undefined;
  }
}
