import { create } from '@bufbuild/protobuf';
import { Metadata, Server, ServerCredentials, status } from '@grpc/grpc-js';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ReturnLeasesResponseSchema, SelectService } from '@tidemark/proto';
import { InjectConfig, isLoopback } from '@tidemark/stage-runtime';
import type { SelectConfig } from '../select.config.ts';
import { GrpcFault, grpcService, unary } from './grpc-service.ts';
import { type BatchOutcome, NextBatch } from './next-batch.ts';

/** Serves `tidemark.select.v1.SelectService` to the gateway. */
@Injectable()
export class SelectServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly server = new Server();
  private boundPort = 0;

  constructor(
    private readonly batches: NextBatch,
    @InjectConfig() private readonly config: SelectConfig,
  ) {}

  /** Where it is served, once the application has started. */
  get port(): number {
    return this.boundPort;
  }

  async onApplicationBootstrap(): Promise<void> {
    if (!isLoopback(this.config.grpcHost) && !this.config.grpcOpen) {
      throw new Error(
        `SelectService on ${this.config.grpcHost} could be reached from other machines, and it asks for no token: bind it ` +
          'to 127.0.0.1, or set TIDEMARK_SELECT_GRPC_OPEN=true where the network keeps strangers out',
      );
    }
    this.server.addService(grpcService(SelectService), {
      nextBatch: unary(SelectService.method.nextBatch, async (request) => answerOf(await this.batches.take(request))),
      returnLeases: unary(SelectService.method.returnLeases, async ({ target, leaseIds }) =>
        create(ReturnLeasesResponseSchema, { returned: await this.batches.giveBack(target, leaseIds) }),
      ),
    });
    const address = `${this.config.grpcHost}:${this.config.grpcPort}`;
    this.boundPort = await new Promise<number>((resolve, reject) => {
      this.server.bindAsync(address, ServerCredentials.createInsecure(), (error, port) =>
        error ? reject(error) : resolve(port),
      );
    });
  }

  async onApplicationShutdown(): Promise<void> {
    const closing = new Promise<void>((resolve) => this.server.tryShutdown(() => resolve()));
    const patience = setTimeout(() => this.server.forceShutdown(), 2_000);
    await closing;
    clearTimeout(patience);
  }
}

function answerOf(outcome: BatchOutcome) {
  switch (outcome.kind) {
    case 'batch':
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
