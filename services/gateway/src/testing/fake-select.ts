import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { Metadata, type sendUnaryData, Server, ServerCredentials, type ServerUnaryCall, status } from '@grpc/grpc-js';
import {
  type NextBatchRequest,
  NextBatchRequestSchema,
  NextBatchResponseSchema,
  type ReplayBatchRequest,
  ReplayBatchRequestSchema,
  ReplayBatchResponseSchema,
  type ReturnLeasesRequest,
  ReturnLeasesRequestSchema,
  ReturnLeasesResponseSchema,
  SelectService,
} from '@tidemark/proto';

type Replayed = MessageInitShape<typeof ReplayBatchResponseSchema>;
type Answer = MessageInitShape<typeof NextBatchResponseSchema>;

/** What a replica of select answers in a spec: a batch, or where the owner is, or a status. */
export type SelectAnswer =
  | { readonly kind: 'batch'; readonly answer: Answer }
  | { readonly kind: 'owned elsewhere'; readonly owner: string }
  | { readonly kind: 'status'; readonly code: status };

/** A replica of select that answers as it is told. */
export class FakeSelect {
  readonly asked: NextBatchRequest[] = [];
  readonly returned: string[] = [];
  /** The header that each batch was asked with. */
  readonly authorizations: (string | undefined)[] = [];
  /** What a replay with seed 7 gives; undefined for a batch that is not kept. */
  replayed: Replayed | undefined;
  answer: SelectAnswer = { kind: 'batch', answer: {} };
  private readonly server = new Server();
  private port = 0;

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const { nextBatch, replayBatch, returnLeases } = SelectService.method;
    const path = (name: string) => `/${SelectService.typeName}/${name}`;
    const unary = { requestStream: false, responseStream: false } as const;
    this.server.addService(
      {
        nextBatch: {
          ...unary,
          path: path(nextBatch.name),
          requestSerialize: (value: NextBatchRequest) => Buffer.from(toBinary(NextBatchRequestSchema, value)),
          requestDeserialize: (bytes: Buffer) => fromBinary(NextBatchRequestSchema, bytes),
          responseSerialize: (value: Answer) =>
            Buffer.from(toBinary(NextBatchResponseSchema, create(NextBatchResponseSchema, value))),
          responseDeserialize: (bytes: Buffer) => fromBinary(NextBatchResponseSchema, bytes),
        },
        replayBatch: {
          ...unary,
          path: path(replayBatch.name),
          requestSerialize: (value: ReplayBatchRequest) => Buffer.from(toBinary(ReplayBatchRequestSchema, value)),
          requestDeserialize: (bytes: Buffer) => fromBinary(ReplayBatchRequestSchema, bytes),
          responseSerialize: (value: Replayed) =>
            Buffer.from(toBinary(ReplayBatchResponseSchema, create(ReplayBatchResponseSchema, value))),
          responseDeserialize: (bytes: Buffer) => fromBinary(ReplayBatchResponseSchema, bytes),
        },
        returnLeases: {
          ...unary,
          path: path(returnLeases.name),
          requestSerialize: (value: ReturnLeasesRequest) => Buffer.from(toBinary(ReturnLeasesRequestSchema, value)),
          requestDeserialize: (bytes: Buffer) => fromBinary(ReturnLeasesRequestSchema, bytes),
          responseSerialize: (value: { returned: number }) =>
            Buffer.from(toBinary(ReturnLeasesResponseSchema, create(ReturnLeasesResponseSchema, value))),
          responseDeserialize: (bytes: Buffer) => fromBinary(ReturnLeasesResponseSchema, bytes),
        },
      },
      {
        nextBatch: (call: ServerUnaryCall<NextBatchRequest, Answer>, reply: sendUnaryData<Answer>) =>
          this.onNextBatch(call, reply),
        replayBatch: (call: ServerUnaryCall<ReplayBatchRequest, Replayed>, reply: sendUnaryData<Replayed>) => {
          if (this.replayed === undefined) reply({ code: status.NOT_FOUND, details: 'as told' });
          else if (call.request.seed !== 7n) reply({ code: status.INVALID_ARGUMENT, details: 'another seed' });
          else reply(null, this.replayed);
        },
        returnLeases: (
          call: ServerUnaryCall<ReturnLeasesRequest, { returned: number }>,
          reply: sendUnaryData<{ returned: number }>,
        ) => {
          this.returned.push(...call.request.leaseIds);
          reply(null, { returned: call.request.leaseIds.length });
        },
      },
    );
    this.port = await new Promise((resolve, reject) => {
      this.server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
        error === null ? resolve(port) : reject(error),
      );
    });
  }

  stop(): void {
    this.server.forceShutdown();
  }

  private onNextBatch(call: ServerUnaryCall<NextBatchRequest, Answer>, reply: sendUnaryData<Answer>): void {
    this.asked.push(call.request);
    this.authorizations.push(call.metadata.get('authorization')[0]?.toString());
    const metadata = new Metadata();
    switch (this.answer.kind) {
      case 'batch':
        reply(null, this.answer.answer);
        return;
      case 'owned elsewhere':
        metadata.set('tidemark-owner', this.answer.owner);
        reply({ code: status.FAILED_PRECONDITION, details: 'owned elsewhere', metadata });
        return;
      case 'status':
        reply({ code: this.answer.code, details: 'as told' });
    }
  }
}
