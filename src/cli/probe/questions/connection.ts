import { clockFinding } from "../../findings";
import type { ProbeFinding, Probing, Question } from "../finding";
import { seen, setIt, setting } from "../finding";

/** Asked last: it looks at how the other questions went. */
export const connection: Question = {
  name: "connection",
  how: "nothing is sent: the responses to the other questions show refusals because of the rate, headers about it, connections that were cut, pages of a proxy, the clock of the service and the slowest response",
  behaviours: [
    "retryAfter",
    "requestsPerSecond",
    "refuseEvery",
    "badGatewayEvery",
    "badGatewayStatus",
    "idleSockets",
    "accessTokenRequests",
  ],
  async ask(probing) {
    const { asker } = probing;
    return [
      ...rate(probing),
      ...rateHeaders(probing),
      ...losses(probing),
      ...breaches(probing),
      speed(probing),
      { ...clockFinding(asker), behaviours: [], settings: [] },
    ];
  },
};

function rate({ asker, options }: Probing): ProbeFinding[] {
  const check = "rate of requests";
  const { limited } = asker.notes;
  if (limited.length === 0) {
    const own = options.requestsPerSecond === undefined ? "" : " at the configured rate";
    return [seen(check, `No request was refused${own}. A probe does not look for the limit.`)];
  }
  const forms = [...new Set(limited)];
  const wait = { none: "no header Retry-After", seconds: "Retry-After in seconds", date: "Retry-After as a date" };
  return [
    seen(
      check,
      `The service refuses requests because there are too many, with ${forms.map((form) => wait[form]).join(" or ")}. The package slows down by itself. If you know the limit of the account, set webextract:requestsPerSecond to it.`,
      { behaviours: [...forms.map((form) => `retryAfter=${form}`), "requestsPerSecond", "refuseEvery"] },
    ),
  ];
}

/** `RateLimit-Policy: "name";q=20;w=1`, or `20;w=1` of an earlier draft: so many requests in so many seconds. */
function rateHeaders({ asker, options }: Probing): ProbeFinding[] {
  const check = "headers about the rate";
  const headers = new Map(asker.replies.flatMap(({ response }) => Object.entries(response.headers ?? {})));
  const names = [...headers.keys()].filter((name) => /^(?:x-)?rate-?limit[a-z-]{0,30}$/.test(name)).sort();
  if (names.length === 0) {
    return [];
  }
  const policy = String(headers.get("ratelimit-policy") ?? "");
  const quota = Number(/(?:^|;)\s*(?:q=)?(\d+)\s*;/.exec(policy)?.[1]);
  const seconds = Number(/;\s*w=(\d+)/.exec(policy)?.[1]);
  const perSecond = Math.floor((quota / seconds) * 100) / 100;
  if (!Number.isFinite(perSecond) || perSecond < 0.01) {
    return [seen(check, `${names.join(", ")}. None has a form from which a rate follows.`)];
  }
  const isWithin = (options.requestsPerSecond ?? Number.POSITIVE_INFINITY) <= perSecond;
  return [
    seen(check, `${names.join(", ")}: ${quota} requests in ${seconds} s.`, {
      settings: isWithin ? [] : [setting("requestsPerSecond", String(perSecond))],
    }),
  ];
}

function losses({ asker: { notes } }: Probing): ProbeFinding[] {
  const found: ProbeFinding[] = [];
  if (notes.cut > 0) {
    found.push(
      seen(
        "kept connections",
        "The service, or a proxy, cut a connection that was kept open. The package opens another one.",
        {
          behaviours: ["idleSockets=closedAfterAnswer", "idleSockets=resetOnReuse"],
        },
      ),
    );
  }
  if (notes.pages > 0) {
    found.push(
      seen("pages of a proxy", "A page came in place of a response, and the response with the next attempt.", {
        is: "warning",
        remedy: "No setting helps. The package repeats reads. After a copy or a start, the error says what may exist.",
        behaviours: ["badGatewayEvery", "badGatewayStatus"],
      }),
    );
  }
  if (notes.lost > 0) {
    found.push(
      seen("lost responses", `${notes.lost} responses did not come.`, { is: "warning", remedy: "Check the network." }),
    );
  }
  if (notes.tokensRefused > 0) {
    found.push(
      seen("access token", "The service refused an access token. The package went on with another one.", {
        behaviours: ["accessTokenRequests"],
      }),
    );
  }
  return found;
}

/** The package refuses such a response, whatever the settings. */
function breaches({ asker: { replies } }: Probing): ProbeFinding[] {
  const found = replies.flatMap(({ request, breach }) =>
    breach === undefined ? [] : [`${request.operation}: ${breach}`],
  );
  return [...new Set(found)].map((each) =>
    seen("contract", each, {
      is: "warning",
      remedy: "No setting helps: the package refuses this response. Report it.",
    }),
  );
}

function speed({ asker, options }: Probing): ProbeFinding {
  const { timeoutSeconds = 30 } = options;
  const seconds = asker.notes.slowest / 1000;
  const found = `The slowest response took ${seconds < 1 ? "less than 1 s" : `${Math.ceil(seconds)} s`}.`;
  if (seconds <= timeoutSeconds / 2) {
    return seen("time of a response", found);
  }
  const fitting = setting("timeoutSeconds", String(Math.ceil(seconds * 3)));
  return seen("time of a response", found, { is: "warning", remedy: setIt(fitting), settings: [fitting] });
}
