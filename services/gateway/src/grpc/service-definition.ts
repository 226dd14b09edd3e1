import { type DescService, type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';
import type { ServiceDefinition } from '@grpc/grpc-js';

/** A grpc-js service definition out of a protobuf-es descriptor. */
export function serviceDefinition(service: DescService): ServiceDefinition {
  return Object.fromEntries(
    service.methods.map((method) => [
      method.localName,
      {
        path: `/${service.typeName}/${method.name}`,
        requestStream: method.methodKind === 'client_streaming' || method.methodKind === 'bidi_streaming',
        responseStream: method.methodKind === 'server_streaming' || method.methodKind === 'bidi_streaming',
        requestSerialize: (message: MessageShape<DescMessage>) => Buffer.from(toBinary(method.input, message)),
        requestDeserialize: (bytes: Buffer) => readMessage(method.input, bytes),
        responseSerialize: (message: MessageShape<DescMessage>) => Buffer.from(toBinary(method.output, message)),
        responseDeserialize: (bytes: Buffer) => fromBinary(method.output, bytes),
      },
    ]),
  );
}

/** grpc-js shows the message of what is thrown here to the client. */
function readMessage(schema: DescMessage, bytes: Buffer): MessageShape<DescMessage> {
  try {
    return fromBinary(schema, bytes);
  } catch {
    throw new Error(`the bytes are no ${schema.typeName}`);
  }
}
