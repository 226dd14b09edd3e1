import {
  type DescMessage,
  type DescMethodUnary,
  type DescService,
  fromBinary,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { type handleUnaryCall, Metadata, type ServiceDefinition, type ServiceError, status } from '@grpc/grpc-js';

/** A grpc-js service definition out of a protobuf-es descriptor. */
export function grpcService(service: DescService): ServiceDefinition {
  return Object.fromEntries(
    service.methods.map((method) => [
      method.localName,
      {
        path: `/${service.typeName}/${method.name}`,
        requestStream: method.methodKind === 'client_streaming' || method.methodKind === 'bidi_streaming',
        responseStream: method.methodKind === 'server_streaming' || method.methodKind === 'bidi_streaming',
        requestSerialize: (message: MessageShape<DescMessage>) => Buffer.from(toBinary(method.input, message)),
        requestDeserialize: (bytes: Buffer) => fromBinary(method.input, bytes),
        responseSerialize: (message: MessageShape<DescMessage>) => Buffer.from(toBinary(method.output, message)),
        responseDeserialize: (bytes: Buffer) => fromBinary(method.output, bytes),
      },
    ]),
  );
}

/** An answer other than a message: thrown by a handler, seen by the client. */
export class GrpcFault extends Error {
  constructor(
    readonly code: status,
    readonly details: string,
    readonly metadata = new Metadata(),
  ) {
    super(details);
    this.name = 'GrpcFault';
  }
}

/** A handler of a unary method. A {@link GrpcFault} is the client's answer; anything else is INTERNAL, without details. */
export function unary<I extends DescMessage, O extends DescMessage>(
  _method: DescMethodUnary<I, O>,
  handle: (request: MessageShape<I>) => Promise<MessageShape<O>>,
): handleUnaryCall<MessageShape<I>, MessageShape<O>> {
  return (call, callback) => {
    handle(call.request).then(
      (response) => callback(null, response),
      (error: unknown) => callback(toStatus(error)),
    );
  };
}

function toStatus(error: unknown): Partial<ServiceError> {
  if (error instanceof GrpcFault) return { code: error.code, details: error.details, metadata: error.metadata };
  return { code: status.INTERNAL, details: 'select could not answer; its log says why' };
}
