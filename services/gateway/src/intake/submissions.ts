import { Injectable } from '@nestjs/common';
import { hashOfFields } from '@tidemark/identity';
import { type Sql, StageDatabase } from '@tidemark/stage-runtime';
import { insertNewRows, table, upsertRows } from '../postgres/table.ts';
import { type CheckedRecord, faultJson } from './check-record.ts';

const submissions = table(
  'submission',
  {
    upload_id: 'text',
    line: 'bigint',
    problem_id: 'text',
    group_id: 'text',
    target: 'text',
    checkpoint: 'text',
    faults: 'jsonb',
  },
  ['upload_id', 'line'],
);

const refusals = table('refusal', { kind: 'text', record_sha256: 'text' }, ['kind', 'record_sha256']);

/** Which upload lines belong to. */
export interface SubmittedUpload {
  readonly uploadId: string;
  readonly kind: 'problems' | 'rollouts';
  /** Lines of a file without a name are not asked for: only what was refused is written down. */
  readonly named: boolean;
}

/** Writes down what became of each line at the door, so that it can be asked for by file and line. */
@Injectable()
export class Submissions {
  constructor(private readonly database: StageDatabase) {}

  /** One upload may come under several names: each finds it. */
  async keepName(uploadId: string, sourceFile: string): Promise<void> {
    if (sourceFile === '') return;
    await this.database.query('INSERT INTO upload_name VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      sourceFile.replaceAll('\0', '\uFFFD'),
      uploadId,
    ]);
  }

  async keep(sql: Sql, { uploadId, kind, named }: SubmittedUpload, records: readonly CheckedRecord[]): Promise<void> {
    const kept = records.filter((record) => named || record.kind === 'refused');
    await upsertRows(
      sql,
      submissions,
      kept.map((record) => ({
        upload_id: uploadId,
        line: record.line,
        ...(record.kind === 'refused' ? refusedColumns(record) : takenColumns(record)),
      })),
    );
    const fresh = await insertNewRows(
      sql,
      refusals,
      kept.flatMap((record) =>
        record.kind === 'taken'
          ? []
          : [{ kind, record_sha256: record.sha256 ?? hashOfFields('passed over', uploadId, String(record.line)) }],
      ),
    );
    if (fresh.length === 0) return;
    // What was refused before, here or in another file, is not counted again.
    await sql.query('UPDATE upload SET refused = refused + $2 WHERE upload_id = $1', [uploadId, fresh.length]);
  }
}

const takenColumns = ({ subject: { problemId, group } }: CheckedRecord & { kind: 'taken' }) => ({
  problem_id: problemId,
  group_id: group?.id ?? null,
  target: group?.target ?? null,
  checkpoint: group?.checkpoint ?? null,
  faults: null,
});

const refusedColumns = ({ faults }: CheckedRecord & { kind: 'refused' }) => ({
  problem_id: null,
  group_id: null,
  target: null,
  checkpoint: null,
  faults: faults.map(faultJson),
});
