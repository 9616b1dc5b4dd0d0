import { ContractBreach } from "../contract/contractBreach";
import { readResponse } from "../contract/responses";
import type { RawPage } from "./pageQueue";
import type { RowSource } from "./rowPage";
import { scanRows } from "./rowScanner";

type RowOperation = "getData" | "getBatchData" | "getNotExportedData";

/** The operation that reads a source, and the fields of its request that are the same for each page. */
export function rowRequest(source: RowSource): { name: RowOperation; request: Record<string, string> } {
  const { taskId } = source;
  if (source.lotNo !== undefined) return { name: "getBatchData", request: { taskId, lotno: source.lotNo } };
  return { name: source.notExported === true ? "getNotExportedData" : "getData", request: { taskId } };
}

/**
 * @param anyLost the response to an earlier attempt of the same call was lost
 * @throws ContractBreach
 */
export function readRawPage(name: RowOperation, body: Buffer, anyLost?: boolean): RawPage {
  const rows = scanRows(body);
  if (name === "getNotExportedData") {
    const { data, total, current } = readResponse(name, rows.envelope).data;
    checkNoneLeft(data);
    return { rows, total, current, afterLoss: anyLost === true ? true : undefined };
  }
  const { data, total, restTotal, offset } = readResponse(name, rows.envelope).data;
  checkNoneLeft(data);
  return { rows, total, restTotal, offset };
}

/** A duplicate member, or a name with escapes, could hide rows from the scanner. */
function checkNoneLeft(rows: unknown[]): void {
  if (rows.length > 0) throw new ContractBreach("the response breaks the contract: data.data must come once.");
}
