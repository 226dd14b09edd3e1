import { create, toBinary } from '@bufbuild/protobuf';
import type { DescFile } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { ReflectionService } from '@grpc/reflection';
import {
  type Metadata,
  Server,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptor,
} from '@grpc/grpc-js';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ProblemService, trainer } from '@tidemark/proto';
import { InjectConfig, InjectLogger, isLoopback } from '@tidemark/stage-runtime';
import { HealthImplementation } from 'grpc-health-check';
import type { Logger } from 'pino';
import { Admission } from '../access/admission.ts';
import type { Caller } from '../access/caller.ts';
import { Callers } from '../access/callers.ts';
import { grpcRules } from '../access/rules.ts';
import type { GatewayConfig } from '../gateway.config.ts';
import type { OpenCall } from './calls.ts';
import { ProblemMethods } from './problem-methods.ts';
import { serviceDefinition } from './service-definition.ts';
import { toStatus } from './to-status.ts';
import { TrainerMethods } from './trainer-methods.ts';

/** Largest message that is read: 10,000 attempts with their outputs. */
const MAX_MESSAGE_BYTES = 64 * 2 ** 20;
/** Calls of one connection at once. */
const MAX_STREAMS = 256;
const KEEPALIVE_MS = 30_000;

/** gRPC, the gateway's second door: the same use cases behind the same admission as HTTP. */
@Injectable()
export class GrpcDoor implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly server: Server;
  private readonly callersOf = new WeakMap<Metadata, Caller>();
  private readonly health = new HealthImplementation({ '': 'NOT_SERVING' });
  private boundPort = 0;

  constructor(
    private readonly admission: Admission,
    private readonly callers: Callers,
    private readonly problems: ProblemMethods,
    private readonly trainers: TrainerMethods,
    @InjectConfig() private readonly config: GatewayConfig,
    @InjectLogger() private readonly logger: Logger,
  ) {
    this.server = new Server({
      'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
      'grpc.max_concurrent_streams': MAX_STREAMS,
      'grpc.keepalive_time_ms': KEEPALIVE_MS,
      'grpc.keepalive_timeout_ms': KEEPALIVE_MS,
      interceptors: [this.admit],
    });
  }

  /** Where it is served; 0 while it is not. */
  get port(): number {
    return this.boundPort;
  }

  /** @throws Error for a method without a rule, and for an address that others reach without a token */
  async onApplicationBootstrap(): Promise<void> {
    const { grpcHost, grpcPort } = this.config;
    if (grpcPort === undefined) return;
    if (!isLoopback(grpcHost) && !this.callers.needToken) {
      throw new Error(`gRPC on ${grpcHost} can be reached from other machines: set TIDEMARK_ACCESS_TOKEN`);
    }
    this.addServices();
    this.boundPort = await new Promise<number>((resolve, reject) => {
      this.server.bindAsync(`${grpcHost}:${grpcPort}`, ServerCredentials.createInsecure(), (error, port) =>
        error === null ? resolve(port) : reject(new Error(`gRPC can't be served: ${error.message}`, { cause: error })),
      );
    });
    for (const service of ['', ...served.map(({ typeName }) => typeName)]) this.health.setStatus(service, 'SERVING');
    this.logger.info({ host: grpcHost, port: this.boundPort }, 'gRPC is served');
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.boundPort === 0) return;
    for (const service of ['', ...served.map(({ typeName }) => typeName)])
      this.health.setStatus(service, 'NOT_SERVING');
    const closing = new Promise<void>((resolve) => this.server.tryShutdown(() => resolve()));
    const patience = setTimeout(() => this.server.forceShutdown(), 2_000);
    await closing;
    clearTimeout(patience);
  }

  private addServices(): void {
    const methods = served.flatMap(({ typeName, methods: all }) => all.map(({ name }) => `${typeName}/${name}`));
    const unruled = methods.filter((method) => grpcRules[method] === undefined);
    if (unruled.length > 0) throw new Error(`methods without a rule in access/rules.ts: ${unruled.join(', ')}`);
    const openers = (typeName: string) => (name: string) => this.opener(`${typeName}/${name}`);
    this.server.addService(serviceDefinition(ProblemService), this.problems.handlers(openers(ProblemService.typeName)));
    const { TrainerService } = trainer;
    this.server.addService(serviceDefinition(TrainerService), this.trainers.handlers(openers(TrainerService.typeName)));
    this.health.addToServer(this.server);
    new ReflectionService(packageOf(served.map(({ file }) => file))).addToServer(this.server);
  }

  /** Every call passes here, also those of health and reflection; a method without a rule is nobody's. */
  private readonly admit: ServerInterceptor = (method, call) => {
    const action = method.path.slice(1);
    let leave = () => {};
    let isCancelled = false;
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, go) => {
            void this.enter(action, metadata, call).then(
              (left) => {
                // What was cancelled meanwhile is told nothing more.
                if (isCancelled) return left();
                leave = left;
                go(metadata);
              },
              (thrown: unknown) => call.sendStatus(toStatus(thrown)),
            );
          },
          onReceiveMessage: (message, go) => go(message),
          onReceiveHalfClose: (go) => go(),
          onCancel: () => {
            isCancelled = true;
            leave();
          },
        }),
      sendStatus: (status, next) => {
        leave();
        next(status);
      },
    });
  };

  private async enter(
    action: string,
    metadata: Metadata,
    call: { getHost(): string; getConnectionInfo(): { localAddress?: string | undefined } },
  ): Promise<() => void> {
    const admitted = await this.admission.enter({
      action,
      rule: grpcRules[action] ?? { who: [] },
      host: call.getHost(),
      origin: metadata.get('origin')[0]?.toString(),
      fetchSite: undefined,
      localAddress: call.getConnectionInfo().localAddress,
      authorization: metadata.get('authorization')[0]?.toString(),
    });
    if (admitted === undefined) return () => undefined;
    this.callersOf.set(metadata, admitted.caller);
    return admitted.leave;
  }

  private opener(action: string): OpenCall {
    return (metadata, signal) => {
      const caller = this.callersOf.get(metadata);
      const rule = grpcRules[action];
      if (caller === undefined || rule === undefined) throw new Error(`${action} was called without admission`);
      let told: (result: string) => void = () => undefined;
      const permit = async (subject: Readonly<Record<string, string>>) => {
        told = await this.admission.permit(caller, { action, rule, subject });
      };
      const ended = (result: string) => {
        if (result === 'INTERNAL') this.logger.error({ action }, 'a call failed');
        told(result);
      };
      return { context: { caller, action, signal, permit }, ended };
    };
  }
}

const served = [ProblemService, trainer.TrainerService];

/** What reflection tells of: these files and all that they import. */
function packageOf(files: readonly DescFile[]): ConstructorParameters<typeof ReflectionService>[0] {
  const all = new Map<string, Buffer>();
  const visit = (file: DescFile): void => {
    if (all.has(file.proto.name)) return;
    all.set(
      file.proto.name,
      Buffer.from(toBinary(FileDescriptorProtoSchema, create(FileDescriptorProtoSchema, file.proto))),
    );
    for (const imported of file.dependencies) visit(imported);
  };
  for (const file of files) visit(file);
  // Only the descriptors are looked at.
  const carrier = { format: 'Protocol Buffer 3 DescriptorProto', type: {}, fileDescriptorProtos: [...all.values()] };
  return { tidemark: carrier } as unknown as ConstructorParameters<typeof ReflectionService>[0];
}
