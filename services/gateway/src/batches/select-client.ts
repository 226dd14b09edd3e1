import { create, type DescMethod, fromBinary, type Message, toBinary } from '@bufbuild/protobuf';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import {
  type NextBatchRequest,
  NextBatchRequestSchema,
  type NextBatchResponse,
  ReplayBatchRequestSchema,
  type ReplayBatchResponse,
  type ReturnLeasesResponse,
  SelectService,
} from '@tidemark/proto';
import { ReturnLeasesRequestSchema } from '@tidemark/proto';
import { InjectConfig } from '@tidemark/stage-runtime';
import type { GatewayConfig } from '../gateway.config.ts';
import { HttpProblem, notFound, unusable } from '../http/http-problem.ts';

const DEADLINE_MS = 15_000;
/** A target has one owner; while it changes hands, two replicas may each name the other for a moment. */
const MAX_HOPS = 3;

/** Speaks to the replica of select that owns a target. */
@Injectable()
export class SelectClient implements OnApplicationShutdown {
  private readonly clients = new Map<string, Client>();
  /** Last known owner by target. */
  private readonly owners = new Map<string, string>();

  constructor(@InjectConfig() private readonly config: GatewayConfig) {}

  nextBatch(
    request: Pick<NextBatchRequest, 'target' | 'count' | 'leaseMs' | 'holder' | 'seed'>,
  ): Promise<NextBatchResponse> {
    return this.call(
      request.target,
      SelectService.method.nextBatch,
      create(NextBatchRequestSchema, request),
    ) as Promise<NextBatchResponse>;
  }

  /** @throws HttpProblem 404 for a batch that is not kept, 422 for another seed */
  replayBatch(target: string, batch: bigint, seed: bigint): Promise<ReplayBatchResponse> {
    const request = create(ReplayBatchRequestSchema, { target, batch, seed });
    return this.call(
      target,
      SelectService.method.replayBatch,
      request,
      `batch ${batch} of ${target}`,
    ) as Promise<ReplayBatchResponse>;
  }

  returnLeases(target: string, leaseIds: readonly string[]): Promise<ReturnLeasesResponse> {
    const request = create(ReturnLeasesRequestSchema, { target, leaseIds: [...leaseIds] });
    return this.call(target, SelectService.method.returnLeases, request) as Promise<ReturnLeasesResponse>;
  }

  onApplicationShutdown(): void {
    for (const client of this.clients.values()) client.close();
  }

  private async call(target: string, method: DescMethod, request: Message, batch?: string): Promise<Message> {
    if (this.config.selectAddress === '') throw unavailable('This gateway was started without the address of select.');
    let address = this.owners.get(target) ?? this.config.selectAddress;
    for (let hop = 0; hop <= MAX_HOPS; hop++) {
      try {
        const response = await this.callAt(address, method, request);
        this.owners.set(target, address);
        return response;
      } catch (error) {
        const owner = ownerNamedBy(error);
        if (owner !== undefined && owner !== address) {
          address = owner;
          continue;
        }
        const fallsBack = isStatus(error, status.UNAVAILABLE) && address !== this.config.selectAddress;
        this.owners.delete(target);
        if (!fallsBack) throw asProblem(error, target, batch);
        // The owner of before is gone; any replica knows the new one.
        address = this.config.selectAddress;
      }
    }
    throw unavailable('The target is changing its owner.');
  }

  private callAt(address: string, method: DescMethod, request: Message): Promise<Message> {
    return new Promise((resolve, reject) => {
      this.clientOf(address).makeUnaryRequest(
        `/${SelectService.typeName}/${method.name}`,
        (message: Message) => Buffer.from(toBinary(method.input, message)),
        (bytes: Buffer) => fromBinary(method.output, bytes),
        request,
        this.credentials(),
        { deadline: Date.now() + DEADLINE_MS },
        (error: ServiceError | null, response?: Message) => {
          if (error !== null) reject(error);
          else resolve(response as Message);
        },
      );
    });
  }

  private credentials(): Metadata {
    const metadata = new Metadata();
    if (this.config.selectToken !== undefined) metadata.set('authorization', `Bearer ${this.config.selectToken}`);
    return metadata;
  }

  private clientOf(address: string): Client {
    const known = this.clients.get(address);
    if (known !== undefined) return known;
    // A batch of 10,000 statements is more than gRPC's default of 4 MiB.
    const client = new Client(address, credentials.createInsecure(), {
      'grpc.max_receive_message_length': 512 * 2 ** 20,
    });
    this.clients.set(address, client);
    return client;
  }
}

function ownerNamedBy(error: unknown): string | undefined {
  if (!isStatus(error, status.FAILED_PRECONDITION)) return undefined;
  const owner = error.metadata.get('tidemark-owner')[0];
  return owner === undefined || String(owner) === '' ? undefined : String(owner);
}

function isStatus(error: unknown, code: status): error is ServiceError {
  return error instanceof Error && 'code' in error && error.code === code && 'metadata' in error;
}

function asProblem(error: unknown, target: string, batch: string | undefined): unknown {
  if (!(error instanceof Error) || !('details' in error)) return error;
  const details = String(error.details);
  if (isStatus(error, status.NOT_FOUND) && batch !== undefined) {
    return notFound('batch', batch, 'Batches are kept for a week after their leases ran out.');
  }
  if (isStatus(error, status.NOT_FOUND)) {
    return new HttpProblem({
      status: 503,
      code: 'target_on_its_way',
      what: `Select has not heard of target ${JSON.stringify(target)} yet.`,
      todo: 'Try again in a second: a new target takes a moment.',
      retryAfterSeconds: 1,
    });
  }
  if (isStatus(error, status.INVALID_ARGUMENT)) {
    return unusable('Select refuses the request.', [{ where: 'body', why: details }], 'Correct it and send it again.');
  }
  if (isStatus(error, status.RESOURCE_EXHAUSTED)) {
    const what = `Select is at its limit: ${details}`;
    return new HttpProblem({
      status: 429,
      code: 'select_busy',
      what,
      todo: 'Wait a little and try again.',
      retryAfterSeconds: 2,
    });
  }
  if (isStatus(error, status.UNAUTHENTICATED)) {
    return unavailable('Select refuses this gateway: TIDEMARK_GATEWAY_SELECT_TOKEN is not its token.', error);
  }
  if (
    isStatus(error, status.UNAVAILABLE) ||
    isStatus(error, status.DEADLINE_EXCEEDED) ||
    isStatus(error, status.FAILED_PRECONDITION)
  ) {
    return unavailable('Select, which owns the target, does not answer.', error);
  }
  return error;
}

const unavailable = (what: string, cause?: unknown): HttpProblem =>
  new HttpProblem(
    {
      status: 503,
      code: 'select_unavailable',
      what,
      todo: 'Try again in a few seconds; "tidemark doctor" shows which services run.',
      retryAfterSeconds: 2,
    },
    { cause },
  );
