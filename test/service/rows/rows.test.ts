import assert from "node:assert/strict";
import type { RowPage, RowSource, RowsOptions, ServiceClientOptions } from "../../../src/service";
import { isServiceError, ServiceClient } from "../../../src/service";
import fc, { runs } from "../../fastCheck";
import type { FakeServer, Responder } from "../fakeServer";
import { json, startFakeServer } from "../fakeServer";
import { skipWaits } from "../skipWaits";

interface RowService {
  total: number;
  /** Largest page, and whether a larger one is refused. */
  cap?: number;
  refusesLarger?: boolean;
  /** The smallest page, whatever size the client requests. */
  least?: number;
  answeredOffset: "asked" | "next" | "cursor" | "zero";
  end: "restTotal" | "emptyPage" | "offsetStays";
}

const row = (n: number) => `{"n":${n},"price":1.10,"id":12345678901234567890}`;
const cursorBase = 5000;

/** Responds as one of the possible services. Refuses a cursor that it has not returned before. */
function respondAs(service: RowService): Responder {
  const given = new Map<number, number>([[0, 0]]);
  return (seen, response) => {
    const query = new URL(seen.url, "http://x").searchParams;
    const asked = Number(query.get("offset"));
    const size = Number(query.get("size"));
    if (service.cap !== undefined && service.refusesLarger === true && size > service.cap) {
      json(response, 400, { error: { code: "InvalidParameter", message: "size" }, requestId: "q" });
      return;
    }
    const begin = service.answeredOffset === "cursor" ? given.get(asked) : asked;
    if (begin === undefined) {
      json(response, 400, { error: { code: "InvalidParameter", message: "offset" }, requestId: "q" });
      return;
    }
    const end = Math.max(
      begin,
      Math.min(service.total, begin + Math.max(service.least ?? 0, Math.min(size, service.cap ?? size))),
    );
    const rows = Array.from({ length: end - begin }, (_, index) => row(begin + index));
    const restTotal = service.end === "restTotal" ? service.total - end : service.total;
    const stays = service.end === "offsetStays" && end >= service.total;
    let offset = asked;
    if (service.answeredOffset === "next" && !stays) offset = end;
    if (service.answeredOffset === "zero") offset = 0;
    if (service.answeredOffset === "cursor" && !stays) {
      offset = cursorBase + end * 3;
      given.set(offset, end);
    }
    json(
      response,
      200,
      `{"data":{"data":[${rows.join(",")}],"total":${service.total},"restTotal":${restTotal},"offset":${offset}},"requestId":"q"}`,
    );
  };
}

describe("reading all rows", () => {
  let server: FakeServer | undefined;
  let client: ServiceClient | undefined;
  afterEach(async () => {
    client?.close();
    await server?.close();
  });

  async function clientOf(respond: Responder, options: Partial<ServiceClientOptions> = {}): Promise<ServiceClient> {
    server = await startFakeServer(respond);
    client = new ServiceClient({ baseUrl: server.baseUrl, accessToken: "a", maxRetries: 0, ...options });
    return client;
  }
  async function pagesOf(from: ServiceClient, source: RowSource, options?: RowsOptions): Promise<RowPage[]> {
    const pages: RowPage[] = [];
    for await (const page of from.rows(source, options)) pages.push(page);
    return pages;
  }
  const texts = (pages: RowPage[]) => pages.flatMap((page) => page.texts());
  const all = (total: number, from = 0) => Array.from({ length: total - from }, (_, index) => row(from + index));

  it("returns each row once, in order and unchanged, for all offsets, ends and page sizes of the service", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          total: fc.integer({ min: 0, max: 60 }),
          cap: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
          refusesLarger: fc.boolean(),
          answeredOffset: fc.constantFrom("asked", "next", "cursor", "zero"),
          end: fc.constantFrom("restTotal", "emptyPage", "offsetStays"),
        }),
        fc.integer({ min: 1, max: 25 }),
        fc.integer({ min: 1, max: 8 }),
        async (service: RowService, pageSize, concurrency) => {
          const reading = await clientOf(respondAs(service), { pageSize, concurrency });
          try {
            const pages = await pagesOf(reading, { taskId: "t" });
            assert.deepEqual(texts(pages), all(service.total));
            assert.deepEqual(
              pages.map(({ complete }) => complete),
              [...pages.slice(1).map(() => undefined), true],
            );
          } finally {
            reading.close();
            await server?.close();
            server = undefined;
          }
        },
      ),
      runs(150),
    );
  });

  it("requests pages ahead while the offsets are as expected, and no page behind the last row", async () => {
    let open = 0;
    let most = 0;
    const answer = respondAs({ total: 1000, answeredOffset: "next", end: "restTotal" });
    const reading = await clientOf((seen, response, turn) => {
      open += 1;
      most = Math.max(most, open);
      response.once("finish", () => {
        open -= 1;
      });
      setImmediate(() => setImmediate(() => answer(seen, response, turn)));
    });
    assert.deepEqual(texts(await pagesOf(reading, { taskId: "t" }, { pageSize: 50 })), all(1000));
    assert.ok(most > 2, `${most} at once`);
    assert.equal(server?.seen.length, 20);
  });

  it("keeps the order if a later page arrives before an earlier one", async () => {
    const answer = respondAs({ total: 400, answeredOffset: "next", end: "restTotal" });
    const held: (() => void)[] = [];
    const order: number[] = [];
    const reading = await clientOf((seen, response, turn) => {
      const offset = Number(new URL(seen.url, "http://x").searchParams.get("offset"));
      const send = () => {
        order.push(offset);
        answer(seen, response, turn);
      };
      // The response with offset 100 waits for the response to a later request.
      if (offset === 100) held.push(send);
      else {
        send();
        if (offset > 100) for (const late of held.splice(0)) response.once("finish", late);
      }
    });
    assert.deepEqual(texts(await pagesOf(reading, { taskId: "t" }, { pageSize: 50 })), all(400));
    assert.ok(order.indexOf(100) > order.indexOf(150), order.join());
  });

  it("discards the pages that it requested ahead if a page before them has fewer rows", async () => {
    const reading = await clientOf((seen, response) => {
      const asked = Number(new URL(seen.url, "http://x").searchParams.get("offset"));
      const end = Math.min(100, asked + (asked === 20 ? 7 : 10));
      const data = `[${all(end, asked).join(",")}]`;
      json(
        response,
        200,
        `{"data":{"data":${data},"total":100,"restTotal":${100 - end},"offset":${end}},"requestId":"q"}`,
      );
    });
    const pages = await pagesOf(reading, { taskId: "t" }, { pageSize: 10 });
    assert.deepEqual(texts(pages), all(100));
    assert.equal(pages.at(-1)?.complete, true);
  });

  it("requests one page at a time if offsets are cursors", async () => {
    let open = 0;
    const answer = respondAs({ total: 300, answeredOffset: "cursor", end: "restTotal" });
    const reading = await clientOf((seen, response, turn) => {
      open += 1;
      assert.equal(open, 1);
      response.once("finish", () => {
        open -= 1;
      });
      setImmediate(() => answer(seen, response, turn));
    });
    assert.deepEqual(texts(await pagesOf(reading, { taskId: "t" }, { pageSize: 50 })), all(300));
    assert.equal(server?.seen.length, 6);
  });

  it("does not repeat a request for a page if the caller wants each page requested once", async () => {
    const reading = await clientOf((_seen, response) => json(response, 500, ""), { maxRetries: 2 });
    await assert.rejects(pagesOf(reading, { taskId: "t", notExported: true }, { once: true }));
    assert.equal(server?.seen.length, 1);
  });

  it("reads a batch by its lotno", async () => {
    const reading = await clientOf(respondAs({ total: 3, answeredOffset: "asked", end: "restTotal" }));
    await pagesOf(reading, { taskId: "t", lotNo: "638755274101861606" });
    assert.equal(server?.seen[0]?.url, "/data/lotno/all?taskId=t&lotno=638755274101861606&offset=0&size=1000");
  });

  it("stops at maxRows and resumes from nextOffset without a gap or an overlap", async () => {
    for (const answeredOffset of ["asked", "cursor"] as const) {
      const reading = await clientOf(respondAs({ total: 100, answeredOffset, end: "restTotal" }));
      const first = await pagesOf(reading, { taskId: "t" }, { pageSize: 20, maxRows: 30 });
      assert.deepEqual(texts(first), all(30));
      assert.equal(first.at(-1)?.complete, false);
      const rest = await pagesOf(reading, { taskId: "t" }, { pageSize: 20, offset: first.at(-1)?.nextOffset });
      assert.deepEqual(texts(rest), all(100, 30));
      assert.equal(rest.at(-1)?.complete, true);
      reading.close();
      await server?.close();
    }
    server = undefined;
  });

  it("takes an empty page behind the last row for the end of a resumed read, whatever restTotal is", async () => {
    const reading = await clientOf(respondAs({ total: 25, answeredOffset: "asked", end: "emptyPage" }));
    for (const offset of [10, 25]) {
      const pages = await pagesOf(reading, { taskId: "t" }, { pageSize: 10, offset });
      assert.deepEqual(texts(pages), all(25, offset));
      assert.equal(pages.at(-1)?.gap, undefined);
    }
  });

  it("makes no request for 0 rows", async () => {
    const reading = await clientOf(respondAs({ total: 3, answeredOffset: "asked", end: "restTotal" }));
    for (const source of [{ taskId: "t" }, { taskId: "t", lotNo: "1" }, { taskId: "t", notExported: true } as const]) {
      assert.deepEqual(await pagesOf(reading, source, { maxRows: 0 }), []);
    }
    assert.deepEqual(server?.seen, []);
  });

  it("returns at most maxRows if the service returns more rows than requested, and loses no row behind a cursor", async () => {
    for (const answeredOffset of ["asked", "next", "zero", "cursor"] as const) {
      const reading = await clientOf(respondAs({ total: 100, least: 25, answeredOffset, end: "restTotal" }));
      const first = await pagesOf(reading, { taskId: "t" }, { pageSize: 20, maxRows: 30 });
      const expected = answeredOffset === "cursor" ? 50 : 30;
      assert.deepEqual(texts(first), all(expected), answeredOffset);
      assert.equal(first.at(-1)?.complete, false);
      const rest = await pagesOf(reading, { taskId: "t" }, { pageSize: 20, offset: first.at(-1)?.nextOffset });
      assert.deepEqual(texts(rest), all(100, expected), answeredOffset);
      reading.close();
      await server?.close();
    }
    server = undefined;
  });

  it("reports that the result is not complete if fewer rows arrive than the total", async () => {
    const reading = await clientOf((_seen, response) =>
      json(response, 200, { data: { data: [{ a: 1 }], total: 5, restTotal: 0, offset: 0 }, requestId: "q" }),
    );
    assert.deepEqual(
      (await pagesOf(reading, { taskId: "t" })).map(({ count, complete }) => [count, complete]),
      [[1, false]],
    );
  });

  it("ends if the service always returns the same page", async () => {
    const reading = await clientOf((_seen, response) =>
      json(response, 200, { data: { data: [{ a: 1 }, { a: 2 }], total: 3, restTotal: 1, offset: 0 }, requestId: "q" }),
    );
    const pages = await pagesOf(reading, { taskId: "t" }, { pageSize: 2 });
    assert.equal(pages.at(-1)?.complete, false);
  });

  it("ends if the service reports negative counts", async () => {
    let rest = 3;
    const reading = await clientOf((_seen, response, turn) => {
      // Ends the test of a client that never stops by itself.
      rest = turn > 50 ? 0 : rest - 2;
      json(response, 200, { data: { data: [{ a: 1 }], total: 3, restTotal: rest, offset: 0 }, requestId: "q" });
    });
    await pagesOf(reading, { taskId: "t" }, { pageSize: 1 });
    assert.ok((server?.seen.length ?? 0) < 10, `${server?.seen.length} pages`);
  });

  it("throws a refusal, and tries smaller pages first only if the page size can be the reason", async () => {
    const refuse = (code: string) =>
      clientOf((_seen, response) => json(response, 400, { error: { code, message: "no" }, requestId: "q" }));
    await assert.rejects(pagesOf(await refuse("InvalidTaskId"), { taskId: "t" }), { kind: "notFound" });
    assert.equal(server?.seen.length, 1);
    client?.close();
    await server?.close();
    await assert.rejects(pagesOf(await refuse("InvalidParameter"), { taskId: "t" }), { kind: "refused" });
    assert.deepEqual(
      server?.seen.map(({ url }) => new URL(url, "http://x").searchParams.get("size")),
      ["1000", "500", "200", "100", "50", "20", "10", "1"],
    );
  });

  it("throws the error that follows a refused page size, if the size was not the reason", async () => {
    const reading = await clientOf((seen, response) => {
      const size = Number(new URL(seen.url, "http://x").searchParams.get("size"));
      const code = size > 200 ? "InvalidParameter" : "Invalid.Token";
      json(response, 400, { error: { code, message: "no" }, requestId: "q" });
    });
    const failure = await pagesOf(reading, { taskId: "t" }).catch((error: unknown) => error);
    assert.ok(isServiceError(failure, "credential"), String(failure));
  });

  it("requests smaller pages if a response is larger than the client accepts", async () => {
    const reading = await clientOf(respondAs({ total: 100, answeredOffset: "asked", end: "restTotal" }), {
      maxResponseBytes: 2000,
    });
    assert.deepEqual(texts(await pagesOf(reading, { taskId: "t" })), all(100));
  });

  it("ends at once and aborts requests in progress when the caller aborts or leaves the loop", async () => {
    const controller = new AbortController();
    const answer = respondAs({ total: 1000, answeredOffset: "next", end: "restTotal" });
    const reading = await clientOf((seen, response, turn) =>
      turn === 4 ? controller.abort() : answer(seen, response, turn),
    );
    await assert.rejects(
      pagesOf(reading, { taskId: "t" }, { pageSize: 10, signal: controller.signal }),
      (error: unknown) => isServiceError(error, "aborted"),
    );
    for await (const page of reading.rows({ taskId: "t" }, { pageSize: 10 })) {
      assert.equal(page.count, 10);
      break;
    }
  });

  describe("of rows that are not exported", () => {
    it("continues after the caller has marked the rows, until no row is left", async () => {
      let left = 25;
      const reading = await clientOf((seen, response) => {
        if (seen.method === "POST") {
          left = Math.max(0, left - 10);
          json(response, 200, { requestId: "q" });
          return;
        }
        const count = Math.min(left, 10);
        const data = Array.from({ length: count }, (_, index) => ({ left: left - index }));
        json(response, 200, { data: { data, total: left, current: count }, requestId: "q" });
      });
      const counts: [number, boolean | undefined][] = [];
      for await (const page of reading.rows({ taskId: "t", notExported: true }, { pageSize: 10 })) {
        counts.push([page.count, page.complete]);
        await reading.markExported({ taskId: "t" });
      }
      assert.deepEqual(counts, [
        [10, undefined],
        [10, undefined],
        [5, true],
      ]);
    });

    it("reports a lost response if a response is larger than the client accepts", async () => {
      const handedOut: number[] = [];
      const reading = await clientOf(
        (seen, response) => {
          const size = Number(new URL(seen.url, "http://x").searchParams.get("size"));
          const first = handedOut.length;
          const data = Array.from({ length: Math.min(size, 600 - first) }, (_, index) => ({ n: first + index }));
          handedOut.push(...data.map(({ n }) => n));
          const total = 600 - first;
          json(response, 200, { data: { data, total, current: data.length }, requestId: "q" });
        },
        { maxResponseBytes: 3000 },
      );
      const [page] = await pagesOf(reading, { taskId: "t", notExported: true }, { pageSize: 590, maxRows: 590 });
      assert.deepEqual([page?.objects()[0], page?.afterLoss], [{ n: 590 }, true]);
    });

    it("returns no row twice if the last page is smaller than those before, and no row was marked", async () => {
      const reading = await clientOf((seen, response) => {
        const size = Number(new URL(seen.url, "http://x").searchParams.get("size"));
        const data = Array.from({ length: Math.min(size, 8) }, (_, n) => ({ n }));
        json(response, 200, { data: { data, total: 100, current: data.length }, requestId: "q" });
      });
      // Of 20 rows, the service cuts the page off after 8.
      for (const pageSize of [4, 20]) {
        const pages = await pagesOf(reading, { taskId: "t", notExported: true }, { pageSize, maxRows: 10 });
        const rows = texts(pages);
        assert.deepEqual(rows, [...new Set(rows)]);
        assert.equal(pages.at(-1)?.complete, false);
      }
    });

    it("ends as not complete if no row was marked between two pages", async () => {
      const reading = await clientOf((_seen, response) =>
        json(response, 200, { data: { data: [{ a: 1 }], total: 7, current: 1 }, requestId: "q" }),
      );
      const pages = await pagesOf(reading, { taskId: "t", notExported: true }, { pageSize: 1 });
      assert.deepEqual(
        pages.map(({ count, complete }) => [count, complete]),
        [
          [1, undefined],
          [0, false],
        ],
      );
    });
  });

  describe("subtasks", () => {
    const ids = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ subTaskId: `s${index}`, status: "Waiting" }));
    for (const [what, cap] of [
      ["its own smaller pages", 7],
      ["pages of the requested size", 1000],
    ] as const) {
      it(`are all returned by a service with ${what}`, async () => {
        const list = ids(45);
        const reading = await clientOf((seen, response) => {
          const query = new URL(seen.url, "http://x").searchParams;
          const size = Math.min(cap, Number(query.get("size")));
          const begin = (Number(query.get("page")) - 1) * size;
          json(response, 200, { data: list.slice(begin, begin + size), requestId: "q" });
        });
        assert.deepEqual(await reading.allSubtasks("t"), list);
      });
    }

    it("are all returned by a service that refuses pages of 20", async () => {
      const list = ids(13);
      const reading = await clientOf((seen, response) => {
        const query = new URL(seen.url, "http://x").searchParams;
        const size = Number(query.get("size"));
        const begin = (Number(query.get("page")) - 1) * size;
        if (size > 5) json(response, 400, { error: { code: "InvalidParameter", message: "size" }, requestId: "q" });
        else json(response, 200, { data: list.slice(begin, begin + size), requestId: "q" });
      });
      assert.deepEqual(await reading.allSubtasks("t"), list);
    });

    it("end at the call's deadline for any number of pages", async () => {
      let page = 0;
      const reading = await clientOf((_seen, response) => {
        page += 1;
        // Without a deadline for all pages together, this page would be the last one.
        const data = page > 100 ? [] : [{ subTaskId: `s${page}`, status: "Waiting" }];
        setTimeout(() => json(response, 200, { data, requestId: "q" }), 20);
      });
      await assert.rejects(reading.allSubtasks("t", { deadlineSeconds: 0.3 }), { message: /deadline/ });
      assert.ok(page < 100);
    });

    it("end at a repeated page", async () => {
      const reading = await clientOf((_seen, response) => json(response, 200, { data: ids(3), requestId: "q" }));
      assert.deepEqual(await reading.allSubtasks("t"), ids(3));
      assert.equal(server?.seen.length, 2);
    });
  });

  it("continues after responses of 429 without losing or repeating a row", async () => {
    const waits = skipWaits();
    try {
      const answer = respondAs({ total: 200, answeredOffset: "next", end: "restTotal" });
      const reading = await clientOf(
        (seen, response, turn) => (turn % 3 === 0 ? json(response, 429, "") : answer(seen, response, turn)),
        {
          maxRetries: 9,
        },
      );
      assert.deepEqual(texts(await pagesOf(reading, { taskId: "t" }, { pageSize: 10 })), all(200));
    } finally {
      waits.restore();
    }
  });
});
