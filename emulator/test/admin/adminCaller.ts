import { request } from "node:http";
import type { Emulator } from "webextract-emulator";

/** A response of the admin API. */
export interface AdminAnswer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test asserts the fields that it reads
  json: any;
}

export interface AdminCall {
  method?: string;
  headers?: Record<string, string>;
  /** Sent as JSON, unless it is a string. */
  body?: unknown;
}

/** One request to the admin API. Not by fetch, which sets Host and Origin itself. */
export function admin(emulator: Pick<Emulator, "url">, path: string, call: AdminCall = {}): Promise<AdminAnswer> {
  const { body, method = body === undefined ? "GET" : "POST" } = call;
  const type: Record<string, string> = method === "GET" ? {} : { "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const sent = request(
      `${emulator.url}/__emulator${path}`,
      { method, headers: { ...type, ...call.headers }, agent: false },
      async (response) => {
        let text = "";
        for await (const chunk of response.setEncoding("utf8")) text += chunk;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: parse(text) });
      },
    );
    sent.on("error", reject);
    sent.end(body === undefined || typeof body === "string" ? body : JSON.stringify(body));
  });
}

/** `status code: message` of a refusal, without what differs each time. */
export async function refusalOf(emulator: Pick<Emulator, "url">, path: string, call?: AdminCall): Promise<string> {
  const { status, json } = await admin(emulator, path, call);
  return `${status} ${json.error?.code}: ${json.error?.message}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
