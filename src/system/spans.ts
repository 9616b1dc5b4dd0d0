/** What a span says: ids, counts and statuses. Never a value of the user or of the service, and no text of an error. */
export type SpanFacts = Record<string, string | number | undefined>;

/** Adds facts to the span around the work. */
export type NoteFacts = (facts: SpanFacts) => void;

/** Collects spans, the timed parts of a trace. A span that begins during the work of another is its child. */
export interface Spans {
  around<T>(name: string, facts: SpanFacts, work: (note: NoteFacts) => Promise<T>): Promise<T>;
}

let collector: Spans | undefined;

/** From now on, spans are collected. Without this call they cost nothing. */
export function collectSpans(spans: Spans): void {
  collector = spans;
}

/** Does the work in a span. The facts are made only where spans are collected. */
export function inSpan<T>(name: string, facts: () => SpanFacts, work: (note: NoteFacts) => Promise<T>): Promise<T> {
  return collector === undefined ? work(() => undefined) : collector.around(name, facts(), work);
}
