import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import type { FailedCheck } from "../../../rows/checkedRows";
import { failedIf, RowCount } from "../../../rows/checkedRows";
import type { Row } from "../../../service/contract/types";
import { isRecord, unknown } from "../../../values/plain";
import { readAllowed, readChecked } from "../../lists/allowedFile";
import type { CheckContext, Context } from "../../resource";
import type { ValidateRows } from "./jsonSchema";
import type { RowChecks } from "./rowChecks";

/** The checks as `check` leaves them: with the digest of the schema, so that a diff shows that the file changed. */
export interface CheckedChecks extends RowChecks {
  schemaSha256?: string;
}

/** Reads the schema and adds a problem if it cannot be used. A schema that passed before is not compiled again. */
export function checkSchema(checks: CheckedChecks, before: unknown, context: CheckContext): CheckedChecks {
  const { schemaSha256: _given, ...others } = checks;
  const { schema } = checks;
  if (schema === undefined) {
    return others;
  }
  if ((schema as unknown) === unknown) {
    return { ...others, schemaSha256: unknown as unknown as string };
  }
  const { found, why } = readAllowed(schema, context, (path) => {
    const { content, sha256 } = readSchema(path);
    if (!isRecord(before) || before.schemaSha256 !== sha256) {
      compile(content);
    }
    return { ...others, schemaSha256: sha256 };
  });
  if (found !== undefined) {
    return found;
  }
  context.problems.push({ path: "checks.schema", reason: `names "${schema}", which ${why}` });
  return others;
}

export class SchemaChecker {
  readonly invalid = new RowCount();
  private readonly places = new Set<string>();
  /** The row that took too long. Those behind it are not validated. */
  private stoppedAt: number | undefined;

  constructor(private readonly validate: ValidateRows) {}

  /** @throws ResourceError if the file is no longer the one that was checked */
  static of(
    { schema: name, schemaSha256: sha256 }: CheckedChecks,
    taskId: string,
    context: Context,
  ): SchemaChecker | undefined {
    if (name === undefined || sha256 === undefined) {
      return undefined;
    }
    const { content } = readChecked({ name, sha256, taskId }, context, readSchema);
    return new SchemaChecker(compile(content));
  }

  /** @param before number of rows before these */
  add(rows: readonly Row[], before: number): void {
    if (this.stoppedAt !== undefined) {
      return;
    }
    const places = this.validate(rows);
    for (const [index, place] of places.entries()) {
      if (place !== undefined) {
        this.invalid.note(before + index + 1);
        this.places.add(place);
      }
    }
    if (places.length < rows.length) {
      this.stoppedAt = before + places.length + 1;
    }
  }

  failed(rows: number): FailedCheck[] {
    const { invalid, stoppedAt } = this;
    const places = [...this.places].slice(0, 3).join(", ");
    const wrong = `${invalid.count} of ${rows} rows are not valid (${invalid.describe()}), by ${places}`;
    const late = `row ${stoppedAt} could not be validated in time: use patterns without repetitions within repetitions`;
    return [...failedIf(invalid.count > 0, "schema", wrong), ...failedIf(stoppedAt !== undefined, "schema", late)];
  }
}

function readSchema(path: string): { sha256: string; content: string } {
  const text = readFileSync(path, "utf8");
  // A checkout with other line ends is the same schema.
  const content = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  return { content, sha256: createHash("sha256").update(content).digest("hex") };
}

function compile(text: string): ValidateRows {
  // biome-ignore lint/style/noCommonJs: loaded with the first schema. It takes longer to load than the rest of the provider.
  const { compileSchema } = require("./jsonSchema") as typeof import("./jsonSchema");
  return compileSchema(text);
}
