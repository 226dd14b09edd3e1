import { Metadata, Server, ServerCredentials, status } from '@grpc/grpc-js';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type ReplayBatchResponse, SelectService } from '@tidemark/proto';
import { InjectConfig, isLoopback, StageDatabase, tokenMatches } from '@tidemark/stage-runtime';
import type { SelectConfig } from '../select.config.ts';
import { type Replay, replayBatch } from './kept-batches.ts';
import { GrpcFault, grpcService, unary } from './grpc-service.ts';
import { NextBatch, type Outcome } from './next-batch.ts';

/** Serves `tidemark.select.v1.SelectService` to the gateway. */
@Injectable()
export class SelectServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly server = new Server();
  private boundPort = 0;

  constructor(
    private readonly batches: NextBatch,
    private readonly database: StageDatabase,
    @InjectConfig() private readonly config: SelectConfig,
  ) {}

  /** Where it is served, once the application has started. */
  get port(): number {
    return this.boundPort;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { grpcHost, grpcToken } = this.config;
    if (!isLoopback(grpcHost) && grpcToken === undefined) {
      throw new Error(
        `SelectService on ${grpcHost} can be reached from other machines: set TIDEMARK_SELECT_GRPC_TOKEN here and ` +
          'TIDEMARK_GATEWAY_SELECT_TOKEN at the gateway to one secret, or bind it to 127.0.0.1',
      );
    }
    const { nextBatch, replayBatch: replay, returnLeases } = SelectService.method;
    this.server.addService(grpcService(SelectService), {
      nextBatch: unary(nextBatch, this.admit, async (request) => answerOf(await this.batches.take(request))),
      replayBatch: unary(replay, this.admit, async (request) => replayOf(await replayBatch(this.database, request))),
      returnLeases: unary(returnLeases, this.admit, async ({ target, leaseIds }) =>
        answerOf(await this.batches.giveBack(target, leaseIds)),
      ),
    });
    const address = `${this.config.grpcHost}:${this.config.grpcPort}`;
    this.boundPort = await new Promise<number>((resolve, reject) => {
      this.server.bindAsync(address, ServerCredentials.createInsecure(), (error, port) =>
        error ? reject(error) : resolve(port),
      );
    });
  }

  private readonly admit = (metadata: Metadata): void => {
    const { grpcToken } = this.config;
    const [given] = metadata.get('authorization');
    if (grpcToken === undefined || tokenMatches(given?.toString(), grpcToken)) return;
    throw new GrpcFault(status.UNAUTHENTICATED, 'the caller bears another token than TIDEMARK_SELECT_GRPC_TOKEN');
  };

  async onApplicationShutdown(): Promise<void> {
    const closing = new Promise<void>((resolve) => this.server.tryShutdown(() => resolve()));
    const patience = setTimeout(() => this.server.forceShutdown(), 2_000);
    await closing;
    clearTimeout(patience);
  }
}

function answerOf<R>(outcome: Outcome<R>): R {
  switch (outcome.kind) {
    case 'done':
      return outcome.response;
    case 'unknown target':
      throw new GrpcFault(status.NOT_FOUND, 'no such target: declare it first');
    case 'bad request':
      throw new GrpcFault(status.INVALID_ARGUMENT, outcome.reason);
    case 'owned elsewhere': {
      const metadata = new Metadata();
      metadata.set('tidemark-owner', outcome.owner);
      throw new GrpcFault(status.FAILED_PRECONDITION, 'another replica owns this target', metadata);
    }
  }
}

function replayOf(replay: Replay): ReplayBatchResponse {
  switch (replay.kind) {
    case 'done':
      return replay.response;
    case 'unknown batch':
      throw new GrpcFault(status.NOT_FOUND, 'no such batch, or it is not kept any more');
    case 'bad request':
      throw new GrpcFault(status.INVALID_ARGUMENT, replay.reason);
  }
}
