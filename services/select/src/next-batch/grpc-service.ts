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

/**
 * A handler of a unary method.
 * @param admit throws a {@link GrpcFault} for a caller who may not ask
 * @param handle a {@link GrpcFault} is the client's answer; anything else is INTERNAL, without details
 */
export function unary<I extends DescMessage, O extends DescMessage>(
  _method: DescMethodUnary<I, O>,
  admit: (metadata: Metadata) => void,
  handle: (request: MessageShape<I>) => Promise<MessageShape<O>>,
): handleUnaryCall<MessageShape<I>, MessageShape<O>> {
  const answer = async (metadata: Metadata, request: MessageShape<I>): Promise<MessageShape<O>> => {
    admit(metadata);
    return handle(request);
  };
  return (call, callback) => {
    answer(call.metadata, call.request).then(
      (response) => callback(null, response),
      (error: unknown) => callback(toStatus(error)),
    );
  };
}

function toStatus(error: unknown): Partial<ServiceError> {
  if (error instanceof GrpcFault) return { code: error.code, details: error.details, metadata: error.metadata };
  return { code: status.INTERNAL, details: 'select could not answer; its log says why' };
}
