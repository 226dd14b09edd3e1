import type { CommandContext } from './context.ts';
import { Remarks } from './format/remarks.ts';
import { show } from './format/table.ts';
import type { Json } from './gateway-client.ts';
import { openUpload } from './open-upload.ts';

export interface UploadQuery {
  readonly format?: string | undefined;
  readonly namespace?: string | undefined;
  readonly origin?: string | undefined;
  readonly licence?: string | undefined;
  /** Of a problem package. */
  readonly missing_tests?: 'allow' | undefined;
}

/** How many records of a file were taken. */
export interface UploadResult {
  readonly file: string;
  readonly accepted: number;
  readonly refused: number;
  readonly repeated: boolean;
  /** Name of the upload, by which what became of it can be asked for. */
  readonly upload: string;
}

/** Sends one file to the gateway and tells what became of each record. `-` is standard input. */
export async function uploadFile(
  { client, output }: CommandContext,
  path: '/v1/problems' | '/v1/rollouts',
  file: string,
  query: UploadQuery,
): Promise<UploadResult> {
  const upload = await openUpload(file, path === '/v1/problems');
  const { name, type, sizeBytes } = upload;
  const sent = { bytes: 0 };
  const content = upload.content((bytes) => {
    sent.bytes += bytes;
    output.progress(progressText(name, sent.bytes, sizeBytes));
  });
  const answers = client.lines(path, {
    method: 'POST',
    query: { ...query, source_file: name },
    stream: { type, content },
  });
  let accepted = 0;
  let refused = 0;
  const remarks = new Remarks();
  for await (const answer of answers) {
    if (output.json) await output.object({ file: name, ...answer });
    if (answer.outcome === 'summary') {
      if (!output.json) for (const remark of remarks.lines()) output.note(`${name}: ${remark}`);
      return { file: name, accepted, refused, repeated: answer.repeated === true, upload: show(answer.upload) };
    }
    if (answer.outcome === 'accepted') {
      accepted += 1;
      remarks.add(answer);
    } else {
      refused += 1;
      if (!output.json) for (const fault of faultsOf(answer)) output.note(faultText(name, answer.line, fault));
    }
    output.progress(`${name}: ${accepted + refused} records`);
  }
  throw new Error(
    `${name}: the gateway stopped after ${accepted + refused} records; sending the file again is harmless`,
  );
}

const faultsOf = (answer: Json): readonly Json[] => [
  answer,
  ...(Array.isArray(answer.more) ? (answer.more as readonly Json[]) : []),
];

/** `set.jsonl:7: statement is missing. What to do.` */
function faultText(file: string, line: unknown, { field, reason, do: todo }: Json): string {
  const what = [show(field), show(reason)].filter((part) => part !== '').join(' ');
  return `${file}:${show(line)}: ${what}. ${show(todo)}`;
}

function progressText(name: string, bytes: number, total: number | undefined): string {
  const mebibytes = (value: number) => `${(value / 2 ** 20).toFixed(1)} MiB`;
  return total === undefined || total === 0
    ? `${name}: ${mebibytes(bytes)}`
    : `${name}: ${Math.min(100, Math.floor((100 * bytes) / total))}% of ${mebibytes(total)}`;
}
