import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import {
  type NextBatchRequest,
  type NextBatchResponse,
  NextBatchRequestSchema,
  NextBatchResponseSchema,
  SelectService,
} from '@tidemark/proto';
import { startStage, type StageHarness } from '@tidemark/stage-runtime/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { selectService } from '../index.ts';
import { SelectServer } from './select-server.ts';

const TOKEN = 'a-token-of-sixteen-or-more';

let stage: StageHarness | undefined;
afterEach(async () => {
  await stage?.stop();
  stage = undefined;
});

/** Asks for a batch as any gRPC client would. @returns the status when it is refused */
function ask(
  port: number,
  request: MessageInitShape<typeof NextBatchRequestSchema>,
  authorization?: string,
): Promise<NextBatchResponse | status> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const metadata = new Metadata();
  if (authorization !== undefined) metadata.set('authorization', authorization);
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      `/${SelectService.typeName}/${SelectService.method.nextBatch.name}`,
      (value: NextBatchRequest) => Buffer.from(toBinary(NextBatchRequestSchema, value)),
      (bytes: Buffer) => fromBinary(NextBatchResponseSchema, bytes),
      create(NextBatchRequestSchema, request),
      metadata,
      { deadline: Date.now() + 10_000 },
      (error: ServiceError | null, response?: NextBatchResponse) => {
        client.close();
        resolve(response ?? error?.code ?? status.UNKNOWN);
      },
    );
  });
}

describe('SelectService', () => {
  it('refuses to start where other machines reach it and nothing keeps them out', async () => {
    await expect(startStage(selectService, { config: { grpcPort: '0', grpcHost: '0.0.0.0' } })).rejects.toThrow(
      /TIDEMARK_SELECT_GRPC_TOKEN/,
    );
  });

  it('answers the bearer of its token, on any address, and nobody else', async () => {
    stage = await startStage(selectService, { config: { grpcPort: '0', grpcHost: '0.0.0.0', grpcToken: TOKEN } });
    const { port } = stage.service.get(SelectServer);
    const request = { target: 'nobody', count: 1 };
    expect(await ask(port, request)).toBe(status.UNAUTHENTICATED);
    expect(await ask(port, request, `Bearer ${TOKEN}x`)).toBe(status.UNAUTHENTICATED);
    expect(await ask(port, request, TOKEN)).toBe(status.UNAUTHENTICATED);
    expect(await ask(port, request, `Bearer ${TOKEN}`)).toBe(status.NOT_FOUND);
  });
});
