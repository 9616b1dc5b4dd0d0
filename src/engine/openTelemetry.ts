import { AsyncLocalStorage } from "node:async_hooks";
import type { Client, ClientUnaryCall, credentials, ServiceError } from "@grpc/grpc-js";
import type { Context } from "@opentelemetry/api";
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { parseTraceParent } from "@opentelemetry/core";
import { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import { Resource } from "@opentelemetry/resources";
import type { SpanExporter } from "@opentelemetry/sdk-trace-base";
import { BasicTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { ownPackage } from "../system/ownPackage";
import type { NoteFacts, SpanFacts, Spans } from "../system/spans";

/** The parts of `@grpc/grpc-js` that send spans. */
export interface Grpc {
  Client: typeof Client;
  credentials: Pick<typeof credentials, "createInsecure">;
}

const service = "pulumi-webextract";

/** Spans that go to the engine, as children of the engine's own. */
export class EngineSpans implements Spans {
  readonly #parents = new AsyncLocalStorage<Context>();
  readonly #provider: BasicTracerProvider;
  /** The parent outside of calls. */
  readonly #root: Context;

  /**
   * @param endpoint the address at which the engine takes spans, on this machine
   * @param traceparent of the span in which this process runs
   */
  constructor(endpoint: string, grpc: Grpc, traceparent: unknown) {
    this.#root = contextOf(traceparent);
    this.#provider = new BasicTracerProvider({
      resource: new Resource({ "service.name": service, "service.version": ownPackage.version }),
      // Each at its end: the engine can end this process at any time.
      spanProcessors: [new SimpleSpanProcessor(exporterTo(endpoint, grpc))],
    });
  }

  /** From now on, spans of this call and of all that it begins are children of this one, as the W3C writes it. */
  enter(traceparent: unknown): void {
    this.#parents.enterWith(contextOf(traceparent));
  }

  async around<T>(name: string, facts: SpanFacts, work: (note: NoteFacts) => Promise<T>): Promise<T> {
    const parent = this.#parents.getStore() ?? this.#root;
    const kind = "http.request.method" in facts ? SpanKind.CLIENT : SpanKind.INTERNAL;
    const span = this.#provider.getTracer(service).startSpan(name, { kind, attributes: facts }, parent);
    const note: NoteFacts = (more) => {
      span.setAttributes(more);
      if (more["error.type"] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
    };
    try {
      return await this.#parents.run(trace.setSpan(parent, span), () => work(note));
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  }
}

function contextOf(traceparent: unknown): Context {
  const parent = typeof traceparent === "string" ? parseTraceParent(traceparent) : null;
  return parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
}

const exportPath = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
/** Of {@link SpanExporter}. */
const exported = 0;
const failed = 1;

/** Sends spans by OTLP over gRPC. A span that cannot be sent is lost, and nothing else. */
function exporterTo(endpoint: string, { Client, credentials }: Grpc): SpanExporter {
  const client = new Client(endpoint.replace(/^\w+:\/\//, ""), credentials.createInsecure());
  const asIs = (bytes: Uint8Array): Buffer => Buffer.from(bytes);
  return {
    export(spans, done) {
      const request = ProtobufTraceSerializer.serializeRequest(spans) ?? new Uint8Array();
      const respond = (error: ServiceError | null): void => done({ code: error === null ? exported : failed });
      const call: ClientUnaryCall = client.makeUnaryRequest(exportPath, asIs, asIs, request, respond);
      call.on("error", () => undefined);
    },
    shutdown: async () => client.close(),
  };
}
