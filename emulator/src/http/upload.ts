import { createHash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { Refusal } from "../errors";
import type { UploadFields } from "../service";
import { LineList } from "../store/lineList";
import { ByteBlocks, mostBytesOfStrangers } from "./body";
import type { JournalFile } from "./journalEntry";

/** Maximum number of fields of a form without a known credential. */
const mostFieldsOfStrangers = 16;

/** An upload, and its journal entry. */
export interface ReceivedUpload {
  fields: UploadFields;
  journal: { taskId: string | undefined; file: JournalFile | undefined };
}

/**
 * Reads the whole form even if the request is refused, because unread data would look like a broken connection.
 * @param known whether the request has a credential that the emulator knows. Without one, only a short file and a few short fields are kept.
 */
export async function receiveUpload(request: FastifyRequest, known: boolean): Promise<ReceivedUpload> {
  if (!request.isMultipart()) throw new Refusal("InvalidParameter", "the body must be multipart/form-data");
  const received: ReceivedUpload = {
    fields: { taskId: undefined, file: undefined },
    journal: { taskId: undefined, file: undefined },
  };
  const most = known ? Number.POSITIVE_INFINITY : mostBytesOfStrangers;
  const limits = {
    fileSize: Number.POSITIVE_INFINITY,
    ...(known ? {} : { fieldSize: most, fields: mostFieldsOfStrangers }),
  };
  for await (const part of request.parts({ limits })) {
    if (part.type === "field") {
      if (part.fieldname === "taskId" && !part.valueTruncated) received.fields.taskId = String(part.value);
      continue;
    }
    const content = new ByteBlocks();
    const hash = createHash("sha256");
    let bytes = 0;
    for await (const chunk of part.file as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes <= most) content.add(chunk);
      hash.update(chunk);
    }
    if (part.fieldname !== "file" || bytes > most) continue;
    const file = new LineList(content.blocks);
    received.fields.file = file;
    received.journal.file = {
      name: part.filename,
      bytes,
      sha256: hash.digest("hex"),
      lines: file.count,
    };
  }
  received.journal.taskId = received.fields.taskId;
  return received;
}
