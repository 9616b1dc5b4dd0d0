import type { ProbeFinding, Probing, Question } from "../finding";
import { seen, setIt, setting, unclear } from "../finding";
import type { Reply } from "../reply";
import { nobody, readRows } from "../requests";
import { statusOfWrongParameters } from "./errors";

export const credentials: Question = {
  name: "credentials",
  how: "getData without an access token, with one that nobody has issued, and with the API key if one is configured: status of the responses",
  behaviours: ["expiredToken", "errorStatus", "credentialAcceptance"],
  async ask(probing) {
    const { asker, taskId = nobody } = probing;
    const wrong = await asker.ask({ ...readRows(taskId, 0, 1), credential: "madeUp" });
    const none = await asker.ask({ ...readRows(taskId, 0, 1), credential: "none" });
    const status = await statusOfWrongParameters(probing);
    return [wrongToken(wrong), noToken(none, status), ...(await acceptedCredentials(probing))];
  },
};

function wrongToken({ failure, status }: Reply): ProbeFinding {
  const check = "access token that is not valid";
  if (failure === undefined) {
    return seen(check, "The service accepts it.", {
      is: "warning",
      remedy: "Check that baseUrl is the service itself.",
    });
  }
  const found = `A refusal with a status of ${status}.`;
  const behaviours = [`expiredToken=status${status}`];
  if (failure.kind === "credential" || failure.perhapsToken === true) {
    return seen(check, found, { behaviours });
  }
  return seen(check, `${found} Nothing in it says that it is about the token.`, {
    is: "warning",
    remedy:
      "No setting helps. The package does not renew an expired token. Renew it before a long up: webextract token refresh.",
    behaviours,
  });
}

function noToken({ isAccepted, status }: Reply, statusOfOthers: number | undefined): ProbeFinding {
  const check = "request without a credential";
  if (isAccepted) {
    return seen(check, "The service accepts it.", {
      is: "warning",
      remedy: "Check that baseUrl is the service itself.",
    });
  }
  const found = `A refusal with a status of ${status}.`;
  if (statusOfOthers === undefined) {
    return unclear(check, found);
  }
  const value = status === statusOfOthers ? "all400" : "usual";
  const also = value === "all400" ? " Wrong parameters are refused with the same status." : "";
  return seen(check, `${found}${also}`, { behaviours: [`errorStatus=${value}`] });
}

async function acceptedCredentials({ asker, options, taskId = nobody }: Probing): Promise<ProbeFinding[]> {
  const check = "credential of reads";
  const own = await asker.ask(readRows(taskId, 0, 1));
  const scheme = options.credentials ?? "contract";
  if (asker.credential === "apiKey") {
    const fitting = setting("credentials", "apiKey");
    return [
      seen(check, "The service accepts the API key, and not the access token.", {
        is: "problem",
        remedy: setIt(fitting),
        behaviours: either,
        settings: [fitting],
      }),
    ];
  }
  if (scheme === "apiKey") {
    return [seen(check, "The service accepts the API key.", { behaviours: either })];
  }
  if (options.apiKey === undefined) {
    return [unclear(check, "No API key is configured, so only the access token was tried.", [...contract, ...either])];
  }
  const withKey = await asker.ask({ ...readRows(taskId, 0, 1), credential: "apiKey" });
  if (withKey.signature === own.signature) {
    return !own.isAccepted && own.failure?.code === undefined
      ? [unclear(check, "The refusals look the same.", [...contract, ...either])]
      : [seen(check, "The service accepts the access token, and the API key too.", { behaviours: either })];
  }
  return [seen(check, "The service accepts the access token only.", { behaviours: contract })];
}

/** The upload, which only a write would show, tells the two apart. */
const contract = ["credentialAcceptance=contract", "credentialAcceptance=bearerOnUpload"];
const either = ["credentialAcceptance=apiKeyEverywhere", "credentialAcceptance=either"];
