import { randomUUID } from 'node:crypto';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { timestampNow } from '@bufbuild/protobuf/wkt';
import { Injectable } from '@nestjs/common';
import { topics } from '@tidemark/event-log';
import { CheckpointAdvancedSchema, type TargetDeclared, TargetDeclaredSchema } from '@tidemark/proto';
import { causeOf, StageDatabase, type StageTransaction } from '@tidemark/stage-runtime';
import { conflict, notFound } from '../http/http-problem.ts';
import { settingsHash, settingsMessage, type TargetSettings } from './target-settings.ts';

/** A target in its newest version. */
export interface TargetView {
  readonly target: string;
  readonly version: number;
  readonly checkpoint: string;
  readonly checkpointOrdinal: number;
  readonly declaredAt: Date;
  readonly settings: TargetDeclared;
}

export interface Declaration {
  readonly version: number;
  readonly checkpoint: string;
  /** `unchanged`: the same settings are in force already. */
  readonly outcome: 'declared' | 'new_version' | 'unchanged';
}

export interface Advance {
  readonly checkpoint: string;
  readonly ordinal: number;
  readonly targetVersion: number;
  readonly outcome: 'advanced' | 'unchanged';
}

interface TargetRow {
  readonly version: number;
  readonly checkpoint: string;
  readonly checkpoint_ordinal: number;
}

/** Targets are declared here: the gateway's own tables hold the truth, the topics carry it. */
@Injectable()
export class Targets {
  constructor(private readonly database: StageDatabase) {}

  /** Declares a target. The same settings change nothing; others make a new version. */
  declare(target: string, settings: TargetSettings): Promise<Declaration> {
    const declaration = settingsMessage(target, settings);
    const hash = settingsHash(declaration);
    const cause = causeOf(randomUUID());
    return this.database.transaction('declare-target', async (tx) => {
      const known = await lockTarget(tx, target);
      if (known !== undefined && (await settingsHashOf(tx, target, known.version)) === hash) {
        return { version: known.version, checkpoint: known.checkpoint, outcome: 'unchanged' };
      }
      const version = (known?.version ?? 0) + 1;
      await tx.query(
        `INSERT INTO target (target, version) VALUES ($1, $2) ON CONFLICT (target) DO UPDATE SET version = excluded.version`,
        [target, version],
      );
      await tx.query(
        `INSERT INTO target_version (target, version, settings, settings_hash, declared_at) VALUES ($1, $2, $3, $4, now())`,
        [target, version, Buffer.from(toBinary(TargetDeclaredSchema, declaration)), hash],
      );
      tx.publish(cause, topics.targetsDeclared, { ...declaration, version, declaredAt: timestampNow() });
      if (known !== undefined) return { version, checkpoint: known.checkpoint, outcome: 'new_version' };
      // A line with one checkpoint needs no word about it: the first one comes with the target.
      await writeCheckpoint(tx, { target, checkpoint: settings.checkpoint, ordinal: 0, version });
      return { version, checkpoint: settings.checkpoint, outcome: 'declared' };
    });
  }

  /**
   * Makes a checkpoint known. An ordinal below the newest one registers an older checkpoint.
   *
   * @param ordinal place in the line; undefined for behind the newest
   * @throws HttpProblem 404 unknown target, 409 when the checkpoint or the place is taken
   */
  advance(target: string, checkpoint: string, ordinal: number | undefined): Promise<Advance> {
    return this.database.transaction('advance-checkpoint', async (tx) => {
      const known = await lockTarget(tx, target);
      if (known === undefined) throw unknownTarget(target);
      const taken = await tx.query<{ checkpoint: string; ordinal: number; target_version: number }>(
        'SELECT checkpoint, ordinal, target_version FROM checkpoint WHERE target = $1 AND (checkpoint = $2 OR ordinal = $3)',
        [target, checkpoint, ordinal ?? -1],
      );
      const same = taken.find((row) => row.checkpoint === checkpoint);
      if (same !== undefined && (ordinal === undefined || ordinal === same.ordinal)) {
        return { checkpoint, ordinal: same.ordinal, targetVersion: same.target_version, outcome: 'unchanged' };
      }
      if (same !== undefined) throw checkpointMoved(checkpoint, same.ordinal);
      if (taken[0] !== undefined) throw ordinalTaken(taken[0].checkpoint, taken[0].ordinal);
      const place = ordinal ?? known.checkpoint_ordinal + 1;
      await writeCheckpoint(tx, { target, checkpoint, ordinal: place, version: known.version });
      return { checkpoint, ordinal: place, targetVersion: known.version, outcome: 'advanced' };
    });
  }

  async list(): Promise<TargetView[]> {
    const rows = await this.database.query<TargetRow & { target: string; settings: Buffer; declared_at: Date }>(
      `SELECT target, version, checkpoint, checkpoint_ordinal, settings, declared_at
       FROM target JOIN target_version USING (target, version) ORDER BY target`,
    );
    return rows.map((row) => ({
      target: row.target,
      version: row.version,
      checkpoint: row.checkpoint,
      checkpointOrdinal: row.checkpoint_ordinal,
      declaredAt: row.declared_at,
      settings: fromBinary(TargetDeclaredSchema, row.settings),
    }));
  }

  /** @throws HttpProblem 404 */
  async assertKnown(target: string): Promise<void> {
    const rows = await this.database.query('SELECT 1 FROM target WHERE target = $1', [target]);
    if (rows.length === 0) throw unknownTarget(target);
  }
}

/** Declarations of one name wait for each other, also the first two. */
async function lockTarget(tx: StageTransaction, target: string): Promise<TargetRow | undefined> {
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`tidemark target ${target}`]);
  const rows = await tx.query<TargetRow>(
    'SELECT version, checkpoint, checkpoint_ordinal FROM target WHERE target = $1 FOR UPDATE',
    [target],
  );
  return rows[0];
}

async function settingsHashOf(tx: StageTransaction, target: string, version: number): Promise<string | undefined> {
  const rows = await tx.query<{ settings_hash: string }>(
    'SELECT settings_hash FROM target_version WHERE target = $1 AND version = $2',
    [target, version],
  );
  return rows[0]?.settings_hash;
}

async function writeCheckpoint(
  tx: StageTransaction,
  { target, checkpoint, ordinal, version }: { target: string; checkpoint: string; ordinal: number; version: number },
): Promise<void> {
  await tx.query(
    'INSERT INTO checkpoint (target, checkpoint, ordinal, target_version, advanced_at) VALUES ($1, $2, $3, $4, now())',
    [target, checkpoint, ordinal, version],
  );
  await tx.query(
    'UPDATE target SET checkpoint = $2, checkpoint_ordinal = $3 WHERE target = $1 AND checkpoint_ordinal < $3',
    [target, checkpoint, ordinal],
  );
  const message = create(CheckpointAdvancedSchema, {
    target,
    checkpoint,
    ordinal,
    targetVersion: version,
    advancedAt: timestampNow(),
  });
  tx.publish(causeOf(randomUUID()), topics.checkpointsAdvanced, message);
}

const unknownTarget = (target: string) => notFound('target', target, 'Declare it first: PUT /v1/targets/<slug>.');

const checkpointMoved = (checkpoint: string, ordinal: number) =>
  conflict(
    'checkpoint_has_its_place',
    `Checkpoint ${JSON.stringify(checkpoint)} is number ${ordinal} of the line already.`,
    'Leave the ordinal out, or give the checkpoint another name.',
  );

const ordinalTaken = (checkpoint: string, ordinal: number) =>
  conflict(
    'ordinal_taken',
    `Number ${ordinal} of the line is checkpoint ${JSON.stringify(checkpoint)}.`,
    'Leave the ordinal out, or take another number.',
  );
