import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { UntypedServiceImplementation } from '@grpc/grpc-js';
import { Injectable } from '@nestjs/common';
import {
  FindProblemsRequestSchema,
  FindProblemsResponseSchema,
  OfferProblemsRequestSchema,
  OfferProblemsResponseSchema,
  type ProblemState,
  ProblemStateSchema,
  type RecordName,
  StreamProblemsRequestSchema,
  type StreamProblemsRequest,
  StreamProblemsResponseSchema,
  type StreamProblemsResponse,
  type UploadSettings,
  UploadSettingsSchema,
  WatchProblemsRequestSchema,
  WatchProblemsResponseSchema,
  WithdrawProblemRequestSchema,
  WithdrawProblemResponseSchema,
} from '@tidemark/proto';
import { ProblemStates, recordNamesSchema, type ProblemState as State } from '../explain/problem-states.ts';
import { unusable } from '../http/http-problem.ts';
import { check } from '../http/read-body.ts';
import { problemUploads } from '../intake/problem-uploads.ts';
import { RecordLists } from '../intake/record-lists.ts';
import { RecordStreams } from '../intake/record-streams.ts';
import { type NamedSettings, settingsOf } from '../intake/upload-settings.ts';
import { Withdrawals, withdrawalSchema } from '../intake/withdrawals.ts';
import { type CallContext, duplexStream, type OpenCall, serverStream, unaryCall } from './calls.ts';
import { recordResult } from './record-results.ts';

/** `tidemark.problem.v1.ProblemService`: the producers' use cases, by gRPC. */
@Injectable()
export class ProblemMethods {
  constructor(
    private readonly lists: RecordLists,
    private readonly streams: RecordStreams,
    private readonly withdrawals: Withdrawals,
    private readonly states: ProblemStates,
  ) {}

  handlers(opener: (method: string) => OpenCall): UntypedServiceImplementation {
    return {
      offerProblems: unaryCall<typeof OfferProblemsRequestSchema, typeof OfferProblemsResponseSchema>(
        opener('OfferProblems'),
        async ({ settings, records }, context) => {
          await context.permit({});
          const { answers, summary } = await this.lists.take(
            context.caller,
            problemUploads,
            records,
            recordSettings(settings),
          );
          const { upload, repeated } = summary;
          return create(OfferProblemsResponseSchema, { results: answers.map(recordResult), upload, repeated });
        },
      ),
      streamProblems: duplexStream<typeof StreamProblemsRequestSchema, typeof StreamProblemsResponseSchema>(
        opener('StreamProblems'),
        (requests, context) => this.stream(requests, context),
      ),
      withdrawProblem: unaryCall<typeof WithdrawProblemRequestSchema, typeof WithdrawProblemResponseSchema>(
        opener('WithdrawProblem'),
        async ({ namespace, recordId, reason }, context) => {
          await context.permit({ namespace: namespace.slice(0, 200), record_id: recordId.slice(0, 500) });
          const asked = check(withdrawalSchema, { namespace, record_id: recordId, reason }, 'message');
          const { problem_id, event_id } = await this.withdrawals.withdraw(context.caller, asked);
          return create(WithdrawProblemResponseSchema, { problemId: problem_id, eventId: event_id });
        },
      ),
      findProblems: unaryCall<typeof FindProblemsRequestSchema, typeof FindProblemsResponseSchema>(
        opener('FindProblems'),
        async ({ records }, context) => {
          await context.permit({});
          const states = await this.states.find(context.caller, namesOf(records));
          return create(FindProblemsResponseSchema, { problems: states.map(stateMessage) });
        },
      ),
      watchProblems: serverStream<typeof WatchProblemsRequestSchema, typeof WatchProblemsResponseSchema>(
        opener('WatchProblems'),
        async function* (this: ProblemMethods, { records }: { records: RecordName[] }, context: CallContext) {
          await context.permit({});
          for await (const state of this.states.watch(context.caller, namesOf(records), context.signal)) {
            yield create(WatchProblemsResponseSchema, { problem: stateMessage(state) });
          }
        }.bind(this),
      ),
    };
  }

  private async *stream(
    requests: AsyncIterable<StreamProblemsRequest>,
    context: CallContext,
  ): AsyncGenerator<StreamProblemsResponse> {
    await context.permit({});
    const iterator = requests[Symbol.asyncIterator]();
    const first = await iterator.next();
    if (first.done === true) return;
    const { part } = first.value;
    if (part.case !== 'settings') {
      const why = 'holds no settings';
      throw unusable(
        'The stream has no head.',
        [{ where: 'first message', why }],
        'Send settings first, also empty ones.',
      );
    }
    const records = recordsOf({ [Symbol.asyncIterator]: () => iterator });
    for await (const answer of this.streams.take(context.caller, problemUploads, records, recordSettings(part.value))) {
      if (answer.outcome !== 'summary') {
        yield create(StreamProblemsResponseSchema, { part: { case: 'result', value: recordResult(answer) } });
        continue;
      }
      const { records: count, accepted, refused, upload } = answer.summary;
      const value = { records: BigInt(count), accepted: BigInt(accepted), refused: BigInt(refused), upload };
      yield create(StreamProblemsResponseSchema, { part: { case: 'summary', value } });
    }
  }
}

async function* recordsOf(requests: AsyncIterable<StreamProblemsRequest>): AsyncGenerator<Uint8Array> {
  for await (const { part } of requests) {
    if (part.case === 'record') yield part.value;
    else
      throw unusable(
        'The stream holds something else than records.',
        [],
        'Send settings once, then a record a message.',
      );
  }
}

function recordSettings(settings: UploadSettings | undefined): NamedSettings {
  const { origin, idempotencyKey, ...rest } = settings ?? create(UploadSettingsSchema);
  const given = {
    format: rest.format,
    namespace: rest.namespace,
    licence: rest.licence,
    source_file: rest.sourceFile,
    ...(origin !== '' && { origin }),
    ...(idempotencyKey !== '' && { idempotency_key: idempotencyKey }),
  };
  return settingsOf(given, 'settings');
}

function namesOf(records: readonly RecordName[]) {
  const names = records.map(({ namespace, recordId }) => ({ namespace, record_id: recordId }));
  return check(recordNamesSchema, { records: names }, 'message').records;
}

const stateMessage = ({ namespace, record_id, problem_id, held_out, changed_at, ...state }: State): ProblemState =>
  create(ProblemStateSchema, {
    ...state,
    record: { namespace, recordId: record_id },
    problemId: problem_id,
    heldOut: held_out,
    ...(changed_at !== null && { changedAt: timestampFromDate(new Date(changed_at)) }),
  });
