import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Behaviour } from "../behaviour";
import type { Operation } from "../contract";
import { internalFailure, messageOf, missing, Refusal } from "../errors";
import type { FaultKind, PlannedFault } from "../faults/faults";
import { delayOf } from "../faults/faults";
import { handle } from "../handlers";
import type { UploadFields } from "../service";
import type { RequestCheck } from "./checkRequest";
import type { Waits } from "./deliver";
import { send, sendSpoilt } from "./deliver";
import type { Presented } from "./gate";
import { checkCredentials, checkPlan, presentedCredentials } from "./gate";
import type { JournalEntry } from "./journalEntry";
import { tasksOf } from "./journalEntry";
import type { ServiceResponse } from "./responses";
import { failureResponse, faultResponse, gatewayResponse, successResponse } from "./responses";
import { receiveUpload } from "./upload";
import type { World } from "./world";

/** The credentials of a request, in its headers and in the body of a refresh. */
export interface RequestCredentials extends Presented {
  refreshToken?: string | undefined;
  /** The kind that the operation wants. If a request has both kinds, this one counts. Default: bearer. */
  wanted?: Operation["credential"];
}

/** What the HTTP server needs. */
export interface ServerParts {
  /** Everything of the account that a request with these credentials is for. */
  worldOf: (credentials: RequestCredentials) => World;
  operations: readonly Operation[];
  check: RequestCheck;
  log: (line: string) => void;
}

/** A socket and its use. */
export interface SocketUse {
  number: number;
  requests: number;
}

/** Operations that change nothing but counters in the store. */
const readOnly = new Set(["getActions", "getSubtasks", "getBatchData", "getData"]);

/** Kinds of faults with which no response arrives. */
const withoutResponse: readonly FaultKind[] = ["reset", "hang", "close", "garbage"];

interface Received {
  world: World;
  operation: Operation;
  entry: JournalEntry;
  fields: unknown;
  /** The body or form could not be read. */
  unreadable: Refusal | undefined;
  startedAt: number;
}

/** Handles a request from its journal entry to the last byte of the response. */
export class Exchange {
  constructor(
    private readonly parts: ServerParts,
    private readonly sockets: WeakMap<Socket, SocketUse>,
  ) {}

  async respond(operation: Operation, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const received = await this.receive(operation, request);
    const { entry, world } = received;
    const { service, rate, waits, latency, faults } = world;
    const { behaviour } = service;
    const spoilt = rate.arrive(behaviour);
    if (latency.ms > 0) await waits.pause(latency.ms);

    const fault = faults.take(operation.name, tasksOf(received.fields));
    const ownResponse = fault !== undefined && ["status", "error", "redirect"].includes(fault.kind);
    try {
      let response = successResponse(entry.requestId, {}, { behaviour, operation: operation.name });
      const onlyWaits = fault !== undefined && fault.when === "before" && ["late", "hold"].includes(fault.kind);
      if (onlyWaits) await wait(fault, waits);
      if (fault?.when !== "before" || onlyWaits) {
        response = this.carryOut(received, request);
        if (entry.tookEffect && !readOnly.has(operation.name)) {
          response = (await this.saveFailure(received)) ?? response;
          tellChange(received);
        }
      }
      if (fault !== undefined && ownResponse) response = faultResponse(fault, entry.requestId, request.url, service);
      if (spoilt) response = gatewayResponse(Number(behaviour.badGatewayStatus));
      if (fault !== undefined) entry.fault = { id: fault.id, kind: fault.kind };
      const lost = fault !== undefined && withoutResponse.includes(fault.kind);
      entry.status = lost ? 0 : response.status;
      this.close(received, lost ? "" : response.body);
      if (fault === undefined || ownResponse || onlyWaits) return send(reply, response);
      if (fault.kind === "hold") await wait(fault, waits);
      await sendSpoilt(reply, response, fault, world.ending.signal);
      return reply;
    } finally {
      // Nobody may wait for a request that has failed on its way to the hold.
      fault?.gate.arrive();
    }
  }

  /** Saves the change of a request. The response, if that failed. */
  private async saveFailure({ operation, entry, world }: Received): Promise<ServiceResponse | undefined> {
    try {
      await world.saved();
      return undefined;
    } catch (error) {
      this.parts.log(`${operation.name} took effect, but ${messageOf(error)}`);
      const refusal = new Refusal("ServerError", "the request took effect, but the change could not be saved");
      return failureResponse(entry.requestId, refusal, world.service);
    }
  }

  /** Responds to an unknown path or method, or to a request that the server could not read. */
  async respondToUnknown(request: FastifyRequest, reply: FastifyReply, error?: unknown): Promise<unknown> {
    const world = this.parts.worldOf(presentedCredentials(request.headers));
    const entry = this.journalEntry(world, "unknown", request, undefined);
    const methods = this.methodsOf(request.url.split("?")[0] ?? "", world);
    // The body of some methods is read before the route is known. A path that cannot be decoded has no methods.
    const unknown = error === undefined || (request.is404 && methods.length > 0);
    const refusal = unknown
      ? unknownRefusal(request.method, methods, this.spelled(request.url))
      : this.unreadableRefusal(error);
    const response = failureResponse(entry.requestId, refusal, world.service);
    if (refusal.code === "MethodNotAllowed") response.headers = { ...response.headers, allow: methods.join(", ") };
    entry.status = response.status;
    this.close({ world, entry, startedAt: performance.now() }, response.body);
    return send(reply, response);
  }

  private methodsOf(path: string, { service }: World): string[] {
    return this.parts.operations
      .filter((operation) => pathsOf(operation, service.behaviour.refreshPath).includes(path))
      .map(({ method }) => method);
  }

  /** The path of the contract that this one equals, but for the case of its letters and a slash at its end. */
  private spelled(url: string): string | undefined {
    const plain = (path: string) => path.toLowerCase().replace(/(?<!\/)\/+$/, "");
    const given = plain(url.split("?")[0] ?? "");
    return this.parts.operations.map(({ path }) => path).find((path) => plain(path) === given);
  }

  private unreadableRefusal(error: unknown): Refusal {
    const status = error instanceof Error && "statusCode" in error ? Number(error.statusCode) : 500;
    if (status < 500) return new Refusal("InvalidParameter", "the request could not be read");
    return internalFailure("the emulator", error, this.parts.log);
  }

  private async receive(operation: Operation, request: FastifyRequest): Promise<Received> {
    const startedAt = performance.now();
    const presented = presentedCredentials(request.headers);
    const { refresh_token } = (request.body ?? {}) as { refresh_token?: unknown };
    const refreshToken = typeof refresh_token === "string" ? refresh_token : undefined;
    const world = this.parts.worldOf({
      ...presented,
      refreshToken: operation.name === "refreshToken" ? refreshToken : undefined,
      wanted: operation.credential,
    });
    let unreadable: Refusal | undefined;
    let fields = operation.sends === "query" ? request.query : request.body;
    let shown = request.body;
    if (operation.sends === "multipart") {
      try {
        const known = world.service.credentials.isKnown(presented);
        const upload = await receiveUpload(request, known);
        fields = uploadFields(upload.fields, request, world.service.behaviour);
        shown = upload.journal;
      } catch (error) {
        unreadable = error instanceof Refusal ? error : new Refusal("InvalidParameter", "the form could not be read");
        shown = undefined;
      }
    } else if (request.body instanceof Refusal) {
      unreadable = request.body;
      shown = undefined;
    }
    const entry = this.journalEntry(world, operation.name, request, shown);
    return { world, operation, entry, fields, unreadable, startedAt };
  }

  private journalEntry(
    { journal, service }: World,
    operation: JournalEntry["operation"],
    request: FastifyRequest,
    body: unknown,
  ): JournalEntry {
    const { bearer, apiKey } = presentedCredentials(request.headers);
    const both = bearer !== undefined && apiKey !== undefined;
    const one = bearer !== undefined ? "bearer" : apiKey !== undefined ? "apiKey" : "none";
    return journal.add(
      {
        operation,
        method: request.method,
        path: request.url.split("?")[0] ?? "",
        query: { ...(request.query as Record<string, unknown>) },
        body,
        ...(body === undefined && hasBody(request) ? { bodyLeftOut: true } : {}),
        status: 0,
        requestId: randomUUID(),
        credential: both ? "both" : one,
        contentType: request.headers["content-type"],
        userAgent: request.headers["user-agent"],
        socket: this.sockets.get(request.raw.socket)?.number ?? 0,
        receivedAt: service.clock.now(),
        tookEffect: false,
        durationMs: 0,
        response: "",
      },
      service.credentials.given,
    );
  }

  /** Handles the request in one synchronous step, so that no other request can interfere. */
  private carryOut(received: Received, request: FastifyRequest): ServiceResponse {
    const { operation, entry, unreadable } = received;
    const { service, rate } = received.world;
    const { check } = this.parts;
    const { behaviour } = service;
    const of = { behaviour, operation: operation.name };
    try {
      rate.pass(behaviour);
      const login = loginIn(received);
      checkPath(operation, request, login === undefined ? behaviour.refreshPath : "token");
      const account = checkCredentials(
        operation,
        presentedCredentials(request.headers),
        service.credentials,
        behaviour,
      );
      checkPlan(operation, service.plan, behaviour);
      if (unreadable !== undefined) throw unreadable;
      if (login !== undefined) {
        return successResponse(entry.requestId, { data: service.credentials.logIn(login, behaviour) }, of);
      }
      const fields = this.checkFields(received, check, behaviour);
      const result = handle(operation.name, service, { fields, account });
      entry.tookEffect = true;
      return successResponse(entry.requestId, result, of);
    } catch (error) {
      const refusal = error instanceof Refusal ? error : internalFailure(operation.name, error, this.parts.log);
      return failureResponse(entry.requestId, refusal, service);
    }
  }

  private checkFields({ operation, fields, entry }: Received, check: RequestCheck, behaviour: Behaviour): unknown {
    if (operation.sends === "multipart") return fields;
    if (operation.sends === "query") {
      if (!isEmpty(entry.body)) {
        const where = `${operation.name} takes its fields in the query and no body, as the contract says`;
        throw new Refusal("InvalidParameter", where);
      }
      const optional = operation.name === "copyTask" && behaviour.copyGroup === "optional" ? ["taskGroupId"] : [];
      return check.query(operation, fields as Record<string, unknown>, optional);
    }
    // Where loops have a list of their own, each of the two lists is optional.
    const hasOwnLoops = operation.name === "updateTaskParameters" && behaviour.loopsInActions !== "taken";
    const complete = hasOwnLoops && isPlainObject(fields) ? { actions: [], ...fields } : fields;
    check.body(operation, complete);
    return complete;
  }

  /** The response is decided. */
  private close({ world, entry, startedAt }: Pick<Received, "world" | "entry" | "startedAt">, response: string): void {
    entry.durationMs = Math.round((performance.now() - startedAt) * 10) / 10;
    world.journal.close(entry, response);
    const query = new URLSearchParams(
      Object.entries(entry.query).map(([key, value]): [string, string] => [key, String(value)]),
    ).toString();
    const target = query === "" ? entry.path : `${entry.path}?${query}`;
    this.parts.log(`${entry.method} ${target} ${entry.status} ${Math.round(entry.durationMs)} ms ${entry.requestId}`);
  }
}

function uploadFields(form: UploadFields, request: FastifyRequest, { urlsFileTaskId }: Behaviour): UploadFields {
  if (urlsFileTaskId === "field") return form;
  const { taskId } = request.query as { taskId?: unknown };
  return { ...form, taskId: typeof taskId === "string" ? taskId : undefined };
}

/** The password of a login, which the contract does not have: only with the behaviour `passwordLogin`. */
function loginIn({ operation, fields, world }: Received): string | undefined {
  const isTaken = operation.name === "refreshToken" && world.service.behaviour.passwordLogin === "taken";
  const { grant_type, username, password } = (isTaken && isPlainObject(fields) ? fields : {}) as Record<
    string,
    unknown
  >;
  if (grant_type !== "password") return undefined;
  for (const [name, value] of Object.entries({ username, password })) {
    if (typeof value !== "string" || value === "") throw missing(name);
  }
  return String(password);
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

function tellChange({ world, fields }: Received): void {
  for (const taskId of tasksOf(fields)) {
    if (typeof taskId === "string") world.service.feed.tell({ type: "task", taskId });
  }
}

async function wait(fault: PlannedFault, waits: Waits): Promise<void> {
  if (fault.kind === "hold") await fault.gate.pass();
  else await waits.pause(delayOf(fault, 1000));
}

function checkPath(operation: Operation, request: FastifyRequest, refreshPath: Behaviour["refreshPath"]): void {
  if (operation.name !== "refreshToken") return;
  if (!pathsOf(operation, refreshPath).includes(request.url.split("?")[0] ?? "")) throw noSuchOperation();
}

/** The paths of an operation under the behaviour `refreshPath`. */
function pathsOf(operation: Operation, refreshPath: Behaviour["refreshPath"]): string[] {
  const alias = `${operation.path}/refresh`;
  if (operation.name !== "refreshToken" || refreshPath === "token") return [operation.path];
  return refreshPath === "both" ? [operation.path, alias] : [alias];
}

/** An empty object carries nothing: some clients send it with each POST. */
function isEmpty(body: unknown): boolean {
  return body === undefined || body === null || (isPlainObject(body) && Object.keys(body).length === 0);
}

function isPlainObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** @param spelled the path of the contract, if the request has it in another spelling */
function unknownRefusal(method: string, methods: readonly string[], spelled: string | undefined): Refusal {
  if (methods.length === 0) return noSuchOperation(spelled);
  return new Refusal("MethodNotAllowed", `this path takes ${methods.join(" or ")}, not ${method}`);
}

function noSuchOperation(spelled?: string): Refusal {
  const hint = spelled === undefined ? "" : `: the contract spells the path ${spelled}`;
  return new Refusal("NotFound", `there is no such operation${hint}`);
}
