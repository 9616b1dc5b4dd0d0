import assert from "node:assert/strict";
import type { RowPage, RowsOptions } from "../../../src/service";
import { ServiceClient } from "../../../src/service";
import { allTests } from "../../eachTest";
import fc, { runs } from "../../fastCheck";
import type { Responder } from "../fakeServer";
import { json, startFakeServer } from "../fakeServer";

/** A task whose rows change while they are read. */
interface MovingRows {
  /** The rows, oldest first. */
  rows: string[];
  newestFirst: boolean;
  offsets: "asked" | "cursor";
  end: "restTotal" | "emptyPage";
  /** Changes the rows before the n-th request is answered. */
  before: (request: number, rows: string[]) => void;
  /** The page at this offset has no rows. */
  emptyAt?: number;
}

const cursorBase = 5000;
const row = (n: number) => `{"n":${n}}`;

function respondAs({ rows, newestFirst, offsets, end, before, emptyAt }: MovingRows): Responder {
  let requests = 0;
  return (seen, response) => {
    before(requests, rows);
    requests += 1;
    const query = new URL(seen.url, "http://x").searchParams;
    const [asked, size] = [Number(query.get("offset")), Number(query.get("size"))];
    const from = asked > cursorBase ? asked - cursorBase : asked;
    const isEmpty = from === emptyAt;
    const page = isEmpty ? [] : (newestFirst ? rows.toReversed() : rows).slice(from, from + size);
    const next = from + page.length;
    const total = rows.length;
    const restTotal = end === "restTotal" ? Math.max(0, total - next) : total;
    const offset = offsets === "cursor" && next > 0 ? cursorBase + next : asked;
    json(
      response,
      200,
      `{"data":{"data":[${page.join(",")}],"total":${total},"restTotal":${restTotal},"offset":${offset}},"requestId":"q"}`,
    );
  };
}

describe("rows that change while they are read", function () {
  this.timeout(60_000);
  const server = allTests(() => startFakeServer((...args) => respond(...args)));
  let respond: Responder;

  async function read(
    moving: Partial<MovingRows> & { count: number },
    options: RowsOptions = {},
  ): Promise<{ rows: string[]; last: RowPage; held: string[] }> {
    const { count, ...rest } = moving;
    const rows = Array.from({ length: count }, (_, index) => row(index));
    const all = { rows, newestFirst: true, offsets: "asked", end: "restTotal", before: () => {}, ...rest } as const;
    respond = respondAs(all);
    server.seen.length = 0;
    const client = new ServiceClient({ baseUrl: server.baseUrl, accessToken: "t" });
    try {
      const pages: RowPage[] = [];
      for await (const page of client.rows({ taskId: "t" }, { pageSize: 5, ...options })) pages.push(page);
      const last = pages.at(-1);
      assert.ok(last);
      return { rows: pages.flatMap((page) => page.texts()), last, held: [...all.rows] };
    } finally {
      client.close();
    }
  }

  /** One new row before each of these requests. */
  const arriving = (requests: (request: number) => boolean) => (request: number, rows: string[]) => {
    if (requests(request)) rows.push(row(rows.length));
  };

  it("arrive once each, and none is missing, wherever new rows are and however pages are numbered", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          count: fc.integer({ min: 0, max: 60 }),
          newestFirst: fc.boolean(),
          offsets: fc.constantFrom("asked" as const, "cursor" as const),
          end: fc.constantFrom("restTotal" as const, "emptyPage" as const),
        }),
        fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 12 }),
        fc.integer({ min: 3, max: 20 }),
        async (moving, arrivals, pageSize) => {
          const before = (request: number, rows: string[]) => {
            for (let left = arrivals[request] ?? 0; left > 0; left -= 1) rows.push(row(rows.length));
          };
          const { rows, last, held } = await read({ ...moving, before }, { pageSize });
          assert.equal(last.complete, true);
          assert.equal(new Set(rows).size, rows.length, "each row once");
          assert.equal(rows.length, last.total);
          const missing = held.slice(0, last.total).filter((each) => !rows.includes(each));
          assert.deepEqual(missing, []);
        },
      ),
      runs(60),
    );
  });

  it("are all read if the newest is first and one row arrives for each page", async () => {
    const { rows, last } = await read({ count: 40, before: arriving((request) => request > 0) }, { pageSize: 10 });
    assert.equal(last.complete, true);
    assert.equal(rows.length, last.total);
    assert.equal(new Set(rows).size, rows.length);
    assert.ok(rows.length > 40);
  });

  it("are looked at once more if rows arrive at the end, and read no second time", async () => {
    const { rows, last, held } = await read({
      count: 20,
      newestFirst: false,
      before: arriving((request) => request > 0 && request < 4),
    });
    assert.deepEqual(rows, held);
    assert.equal(last.complete, true);
    assert.equal(server.seen.filter(({ url }) => url.includes("offset=0")).length, 2);
  });

  it("are resumed without the rows of the page before", async () => {
    const before = arriving((request) => request === 2);
    const { rows, last } = await read({ count: 20, before }, { offset: 5 });
    const expected = Array.from({ length: 15 }, (_, index) => row(14 - index));
    assert.deepEqual(rows, expected);
    assert.equal(last.complete, true);
  });

  it("never exceed maxRows", async () => {
    const before = arriving((request) => request > 0);
    for (const maxRows of [6, 11, 20]) {
      const { rows } = await read({ count: 20, before }, { maxRows });
      assert.equal(rows.length, maxRows);
      assert.equal(new Set(rows).size, maxRows);
    }
  });

  it("are not complete if a row is removed during the read", async () => {
    const before = (request: number, rows: string[]): void => {
      if (request === 2) rows.pop();
    };
    const { last } = await read({ count: 20, before });
    assert.deepEqual([last.complete, last.gap], [false, "moved"]);
  });

  it("are all read if more of them arrive at once than a page has", async () => {
    const before = (request: number, rows: string[]): void => {
      for (let left = request === 1 ? 9 : 0; left > 0; left -= 1) rows.push(row(rows.length));
    };
    for (const offsets of ["asked", "cursor"] as const) {
      const { rows, last } = await read({ count: 20, offsets, before });
      assert.deepEqual([last.complete, rows.length, new Set(rows).size], [true, 29, 29]);
    }
  });

  it("are not complete if equal rows hide what moved", async () => {
    const equal = (request: number, rows: string[]): void => {
      if (request === 0) rows.fill(row(0));
      if (request === 1) rows.push(row(0));
    };
    const { last } = await read({ count: 20, before: equal });
    assert.deepEqual([last.complete, last.gap], [false, "moved"]);
  });

  it("end as not complete if more rows arrive than are read", async () => {
    for (const count of [2, 3]) {
      const before = (_request: number, rows: string[]): void => {
        for (let left = count; left > 0; left -= 1) rows.push(row(rows.length));
      };
      const { last } = await read({ count: 6, before }, { pageSize: 2 });
      assert.deepEqual([last.complete, last.gap], [false, "moved"]);
    }
  });

  it("are read once each, and not completely, if a page is empty while new rows move the others", async () => {
    const { rows, last } = await read({ count: 20, before: arriving((request) => request > 0), emptyAt: 15 });
    assert.deepEqual([last.complete, last.gap], [false, "emptyPage"]);
    assert.equal(new Set(rows).size, rows.length);
  });

  it("are not complete if a page is empty although rows are left", async () => {
    const usual = respondAs({
      rows: Array.from({ length: 20 }, (_, n) => row(n)),
      newestFirst: false,
      offsets: "asked",
      end: "restTotal",
      before: () => {},
    });
    for (const [restTotal, complete, gap] of [
      [10, false, "emptyPage"],
      [0, false, undefined],
    ] as const) {
      const client = new ServiceClient({ baseUrl: server.baseUrl, accessToken: "t", concurrency: 1 });
      respond = (seen, response, turn) => {
        if (!seen.url.includes("offset=10")) return usual(seen, response, turn);
        json(response, 200, `{"data":{"data":[],"total":20,"restTotal":${restTotal},"offset":10},"requestId":"q"}`);
      };
      let last: RowPage | undefined;
      for await (const page of client.rows({ taskId: "t" }, { pageSize: 5 })) last = page;
      assert.deepEqual([last?.complete, last?.gap], [complete, gap]);
      client.close();
    }
  });
});
