import assert from "node:assert/strict";
import Module from "node:module";
import { join } from "node:path";
import sinon from "sinon";
import { guest, owner } from "../../../scripts/objectStore/objectStore";
import type { ServiceClient, ServiceClientOptions } from "../../../src/service";
import { setEnvironment, slowIt } from "../../environment";
import { claims, patience, s3Limits } from "../../internals/service";
import { readPage } from "../../pages/readPage";
import type { Fate, SeenRequest } from "../../resources/export/s3/faultyProxy";
import { operationOf, refusal } from "../../resources/export/s3/faultyProxy";
import { cloudKinds, s3Kind } from "../../resources/export/s3/storeKinds";
import { SharedStoreWorld, startCarelessStore } from "./storeWorld";
import { movedTo } from "./tokenService";
import { startTask, useTokenWorld } from "./tokenWorld";

const startToken = "refresh-of-the-team-0123456789";

for (const kind of [s3Kind, ...cloudKinds])
  describe(`tokens in ${kind.title}`, function () {
    // The slow tier has all of them in each store.
    const usual = kind === s3Kind ? it : slowIt;
    const ofS3 = kind === s3Kind ? it : (): void => undefined;
    this.timeout(120_000);
    const tokens = useTokenWorld();
    let shared: SharedStoreWorld;
    before(async function () {
      this.timeout(900_000);
      shared = await SharedStoreWorld.start(kind);
    });
    after(() => shared.stop());
    beforeEach(async () => {
      await shared.begin();
      tokens.service.refresh = new Set([startToken]);
    });
    afterEach(() => shared.end());

    /** Another machine: it shares nothing but the store and the configuration. */
    const machine = (options: Partial<ServiceClientOptions> = {}): ServiceClient =>
      tokens.clientWith({
        tokenStore: shared.address,
        refreshToken: startToken,
        s3ForcePathStyle: true,
        ...options,
      });
    const isWriteOfTokens = (each: SeenRequest): boolean =>
      operationOf(each) === "PutObject" && each.path.includes("/tokens/");
    /** The fate of the nth write of the tokens: the first one is the claim. */
    const atWrite = (number: number, fate: Fate): void => {
      let count = 0;
      shared.proxy.fate = (each) => {
        count += isWriteOfTokens(each) ? 1 : 0;
        return isWriteOfTokens(each) && count === number ? fate : "pass";
      };
    };

    it("are found by each machine with the configured refresh token, and sent by one", async () => {
      const sources = await Promise.all(
        [1, 2, 3].map(async () => {
          const client = machine();
          await startTask(client);
          return client.describeCredentials().source;
        }),
      );
      assert.deepEqual(sources.sort(), ["refreshToken", "storedToken", "storedToken"]);
      assert.deepEqual([tokens.service.refreshes, tokens.service.refused], [1, []]);
      assert.deepEqual(tokens.storeFiles(), []);
    });

    it("are not begun again with a token whose newer ones this user's own folder has, in a store or another folder", async () => {
      const restore = setEnvironment({ XDG_STATE_HOME: join(tokens.folder, "own-state") });
      try {
        await machine({ tokenStore: undefined }).renewTokens();
        for (const tokenStore of [shared.address, join(tokens.folder, "another")]) {
          await assert.rejects(
            machine({ tokenStore }).renewTokens(),
            /not sent: its newest tokens are in .*pulumi-webextract, and not in .* run "webextract token move /,
          );
        }
        assert.deepEqual([tokens.service.refreshes, tokens.service.refused], [1, []]);
      } finally {
        restore();
      }
    });

    it("follow the chain from machine to machine, and send no token twice", async () => {
      for (let round = 1; round <= 3; round += 1) {
        await Promise.all([1, 2, 3].map(() => machine().renewTokens()));
        assert.equal(tokens.service.refreshes, 3 * round);
      }
      assert.deepEqual(tokens.service.refused, []);
    });

    usual(
      "are sealed: no object shows a token, an address or a name, and each start token and service has its own",
      async () => {
        await machine().renewTokens();
        const other = "another-refresh-token-0123456789";
        tokens.service.refresh.add(other);
        await machine({ refreshToken: other }).renewTokens();
        await machine({ baseUrl: `${tokens.service.baseUrl}/eu`, refreshToken: other })
          .renewTokens()
          .catch(() => undefined);
        const objects = await shared.objects();
        const names = [...objects.keys()].filter((key) => key.startsWith("state/prod/webextract-v1/tokens/"));
        assert.equal(names.length, 3);
        const written = [...objects].flat().join("\n");
        for (const word of [startToken, other, "refresh-1", "access-1", "127.0.0.1", "localhost", "Token"]) {
          assert.ok(!written.includes(word), word);
        }
      },
    );

    it("make no second exchange if the responses of the store are lost, or it responds with 503", async () => {
      // S3 alone has a conflict.
      const conflict = kind === s3Kind ? [refusal(409, "ConditionalRequestConflict")] : [];
      for (const fate of ["lost", refusal(503, "SlowDown"), "cut", ...conflict] as const) {
        for (const number of [1, 2]) {
          atWrite(number, fate);
          const before = tokens.service.refreshes;
          await machine().renewTokens();
          assert.equal(tokens.service.refreshes, before + 1);
        }
      }
      assert.deepEqual([tokens.service.refused, tokens.warnings], [[], []]);
      await machine().renewTokens();
    });

    it("wait for the claim of a living machine, and take over that of a lost one by the store's clock", async () => {
      sinon.stub(patience, "ms").value(0);
      sinon.stub(s3Limits, "mostTries").value(1);
      // The machine is lost before it stores what it got: the claim stays.
      tokens.service.rotates = false;
      shared.proxy.fate = () => (tokens.service.refreshes > 0 ? refusal(500, "InternalError") : "pass");
      await machine().renewTokens();
      assert.match(tokens.warnings.join(), /could not be stored in \w+:\/\/team-bucket/);
      shared.proxy.reset();
      sinon.restore();
      // A local clock does not count.
      tokens.passTime(7200);
      sinon.stub(claims, "lookMs").value(1);
      const looks = shared.proxy.count("GetObject");
      const next = machine().renewTokens();
      await assertEventually(() => shared.proxy.count("GetObject") > looks + 3);
      assert.equal(tokens.service.refreshes, 1);
      shared.letPass(claims.lastMs / 1000 + 5);
      await next;
      assert.equal(tokens.service.refreshes, 2);
    });

    usual(
      "stay in the process if they cannot be stored, which says so, and are stored by its next renewal",
      async () => {
        sinon.stub(patience, "ms").value(0);
        sinon.stub(s3Limits, "mostTries").value(1);
        shared.proxy.fate = () => (tokens.service.refreshes > 0 ? refusal(500, "InternalError") : "pass");
        const client = machine();
        await client.renewTokens();
        assert.equal(client.describeCredentials().unstored, true);
        assert.match(tokens.warnings.join(), /It is lost when this process ends\. [\w. ]+ of "\w+:.* failed/);
        shared.proxy.reset();
        sinon.restore();
        await client.renewTokens();
        assert.equal(client.describeCredentials().unstored, false);
        assert.deepEqual(tokens.service.refused, []);
        await machine().renewTokens();
        assert.equal(tokens.service.refreshes, 3);
      },
    );

    usual("are not sent by a machine that slept after its claim", async () => {
      shared.proxy.fate = (each) => {
        if (isWriteOfTokens(each) && shared.proxy.requests.filter(isWriteOfTokens).length === 1) tokens.passTime(60);
        return "pass";
      };
      await machine().renewTokens();
      // The first claim was given up, a second one was made.
      assert.equal(shared.proxy.requests.filter(isWriteOfTokens).length, 4);
      assert.equal(tokens.service.refreshes, 1);
    });

    usual("are as old after a refresh that failed as before", async () => {
      tokens.service.expiresIn = 600;
      await startTask(machine());
      shared.letPass(400);
      tokens.service.onRefresh = (response) => Boolean(response.writeHead(503).end());
      for (let each = 0; each < 2; each += 1) await assert.rejects(startTask(machine()), /the refresh failed/);
      tokens.service.onRefresh = undefined;
      await startTask(machine());
      assert.deepEqual([tokens.service.refreshes, tokens.service.refused], [2, []]);
      // The time that the failed exchange takes counts too.
      tokens.service.onRefresh = (response) => {
        tokens.passTime(400);
        return Boolean(response.writeHead(503).end());
      };
      await assert.rejects(machine().renewTokens());
      tokens.service.onRefresh = undefined;
      await startTask(machine());
      assert.deepEqual([tokens.service.refreshes, tokens.service.refused], [3, []]);
    });

    usual("say for a while that the token was refused, and send it once", async () => {
      tokens.service.refresh.clear();
      for (let each = 0; each < 2; each += 1) {
        await assert.rejects(
          startTask(machine()),
          /refreshToken was refused, and the token store holds no newer refresh token that is accepted/,
        );
      }
      assert.deepEqual(tokens.service.refused, [startToken]);
      tokens.service.refresh.add(startToken);
      sinon.stub(claims, "restMs").value(-60_000);
      await startTask(machine());
    });

    usual("are taken along from an earlier address of the service", async () => {
      await machine().renewTokens();
      const moved = tokens.service.baseUrl.replace("127.0.0.1", "localhost.localhost");
      await machine({ baseUrl: `${tokens.service.baseUrl}/`, movedFrom: [moved] }).renewTokens();
      assert.equal(tokens.service.refreshes, 2);
      const prefix = `${tokens.service.baseUrl}/v2`;
      const client = machine({ baseUrl: prefix, movedFrom: [tokens.service.baseUrl] });
      await client.renewTokens().catch(() => undefined);
      assert.deepEqual(tokens.service.refused, []);
    });

    usual("are not sent from an address from which the service has moved", async () => {
      const next = await movedTo(tokens.service);
      const { baseUrl } = tokens.service;
      const now = { baseUrl: next.baseUrl, movedFrom: [baseUrl] };
      for (const options of [{}, now, now]) await machine(options).renewTokens();
      await assert.rejects(machine().renewTokens(), /belong to the address to which the service has moved/);
      await machine({ movedFrom: [next.baseUrl] }).renewTokens();
      assert.deepEqual([tokens.service.refused, next.refused], [[], []]);
      await next.close();
    });

    ofS3(
      "are refused before the first request to the service where the store cannot be used, with what to do",
      async () => {
        await assert.rejects(
          startTask(machine({ tokenStore: "s3://no-such-bucket/x" })),
          /not sent: .* of "s3:\/\/no-such-bucket.* failed: the bucket does not exist/,
        );
        const restore = setEnvironment(shared.environment(guest));
        await assert.rejects(
          startTask(machine()),
          /the credentials do not allow it .*Allow s3:GetObject, s3:PutObject and s3:DeleteObject on team-bucket\/state\/prod\/\*, and s3:ListBucket on team-bucket\./,
        );
        restore();
        const modules = Module as unknown as { _resolveFilename(name: string, ...rest: unknown[]): string };
        const resolve = modules._resolveFilename;
        sinon.stub(modules, "_resolveFilename").callsFake(function (this: unknown, name, ...rest) {
          if (name === "@aws-sdk/client-s3") throw new Error("not installed");
          return resolve.call(this, name, ...rest);
        });
        await assert.rejects(startTask(machine()), /needs the package @aws-sdk\/client-s3: run "npm install/);
        assert.deepEqual(tokens.service.seen, []);
      },
    );

    ofS3("need each action of the policy of the page, and no other", async () => {
      const text = readPage("examples/s3/sharedPolicy.json").replaceAll("team-state", "team-bucket");
      const { Statement: statements } = JSON.parse(text.replaceAll("webextract/", "policy")) as {
        Statement: { Action: string[] }[];
      };
      const restore = setEnvironment(shared.environment(guest));
      const actions = statements.flatMap(({ Action }) => Action);
      for (const [index, without] of [...actions, "none"].entries()) {
        const Statement = statements
          .map((each) => ({
            ...each,
            Principal: guest.accessKeyId,
            Action: each.Action.filter((name) => name !== without),
          }))
          .filter(({ Action }) => Action.length > 0);
        const Policy = JSON.stringify({ Version: "2012-10-17", Statement });
        await shared.direct((client) => client.putBucketPolicy({ Bucket: "team-bucket", Policy }));
        const renewal = machine({ tokenStore: `s3://team-bucket/policy-${index}` }).renewTokens();
        await (without === "none" ? renewal : assert.rejects(renewal, /not allow it|does not keep/, without));
      }
      restore();
    });

    ofS3("are not refused because a response is lost while the conditions of the store are tried", async () => {
      let count = 0;
      shared.proxy.fate = (each) =>
        each.path.includes("/probe/") && operationOf(each) !== "GetObject" && ++count % 2 === 1 ? "lost" : "pass";
      await machine({ tokenStore: "s3://team-bucket/lossy" }).renewTokens();
      assert.ok(count > 8);
    });

    ofS3("are refused in a store that ignores conditions, before a token is sent", async () => {
      const careless = await startCarelessStore();
      const restore = setEnvironment({ AWS_ENDPOINT_URL_S3: careless.endpoint });
      await assert.rejects(
        startTask(machine({ tokenStore: "s3://team-bucket/careless" })),
        /does not keep If-None-Match of PutObject and If-Match of PutObject and If-Match of DeleteObject: two machines could use one refresh token/,
      );
      assert.deepEqual([tokens.service.seen, [...careless.objects]], [[], []]);
      restore();
      careless.stop();
    });

    usual("are refused if their object was changed, and if the address or the start token does not fit", async () => {
      await machine().renewTokens();
      const [key = ""] = [...(await shared.objects()).keys()];
      await shared.write(key, "changed");
      await assert.rejects(
        startTask(machine()),
        /The object \w+:\/\/team-bucket\/state.* was changed by another program/,
      );
      const wrong =
        "ftp://bucket/x gs://bucket/../x azblob://Team/x?storage_account=team s3://b s3:/bucket/x s3://bucket/../x s3://bucket?region=eu S3://bucket/x";
      for (const tokenStore of wrong.split(" ")) {
        assert.throws(
          () => machine({ tokenStore }),
          /tokenStore (?:must be a folder, or an address such as "s3:|has an invalid \w+ name: )/,
          tokenStore,
        );
      }
      assert.throws(() => machine({ refreshToken: "short" }), /refreshToken has fewer than 20 characters/);
      await assert.rejects(
        startTask(machine({ refreshToken: undefined })),
        /can be found and read only with the refresh token that they began with.*Set refreshToken to it/,
      );
    });

    usual("need no store where no refresh token is configured", async () => {
      tokens.service.access.add("given-access");
      setEnvironment(shared.environment(owner));
      await startTask(machine({ refreshToken: undefined, accessToken: "given-access" }));
      assert.deepEqual(shared.proxy.requests, []);
    });
  });

async function assertEventually(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}
