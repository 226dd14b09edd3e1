import { clone, type DescMessage, type JsonValue, type MessageShape, ScalarType, toJson } from '@bufbuild/protobuf';
import { reflect, type ReflectMessage } from '@bufbuild/protobuf/reflect';
import { AttemptVerdictSchema, DeadLetterSchema, EvidenceSchema, PayloadSchema } from '@tidemark/proto';

/**
 * A message as protobuf JSON without contents: bytes of payloads (statements, tests, solutions, outputs) and of dead
 * letters are left out, so that what a dump shows can't be a hidden test. Hash and size stay.
 */
export function messageJson<D extends DescMessage>(schema: D, message: MessageShape<D>): JsonValue {
  const copy = clone(schema, message);
  redact(reflect(schema, copy));
  return toJson(schema, copy);
}

function redact(message: ReflectMessage): void {
  for (const field of message.fields) {
    if (!message.isSet(field)) continue;
    if (isContent(message, field.name)) {
      message.clear(field);
      continue;
    }
    switch (field.fieldKind) {
      case 'message':
        redact(message.get(field));
        break;
      case 'list':
        if (field.listKind === 'message') for (const item of message.get(field)) redact(item as ReflectMessage);
        break;
      case 'map':
        if (field.mapKind === 'message') {
          for (const [, item] of message.get(field)) redact(item as ReflectMessage);
        } else if (field.mapKind === 'scalar' && field.scalar === ScalarType.BYTES) {
          message.clear(field);
        }
        break;
      case 'scalar':
      case 'enum':
        break;
    }
  }
}

function isContent({ desc }: ReflectMessage, field: string): boolean {
  if (desc.typeName === PayloadSchema.typeName) return field === 'inline';
  // A program may print what it was given, and evidence quotes tests.
  if (desc.typeName === AttemptVerdictSchema.typeName) return field === 'excerpt';
  if (desc.typeName === EvidenceSchema.typeName) return field === 'text';
  return desc.typeName === DeadLetterSchema.typeName && field === 'value';
}
