import { clone, type DescField, type DescMessage, type JsonValue, type MessageShape, toJson } from '@bufbuild/protobuf';
import { reflect, type ReflectMessage } from '@bufbuild/protobuf/reflect';

/**
 * A message as protobuf JSON without contents: what the contracts mark `debug_redact` (statements, code, tests, outputs,
 * the bytes of dead letters) is left out, so that what a dump shows can't be a held-out problem or a hidden test. Hashes
 * and sizes stay.
 */
export function messageJson<D extends DescMessage>(schema: D, message: MessageShape<D>): JsonValue {
  const copy = clone(schema, message);
  redact(reflect(schema, copy));
  return toJson(schema, copy);
}

function redact(message: ReflectMessage): void {
  for (const field of message.fields) {
    if (!message.isSet(field)) continue;
    if (isContent(field)) {
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
        if (field.mapKind === 'message') for (const [, item] of message.get(field)) redact(item as ReflectMessage);
        break;
      case 'scalar':
      case 'enum':
        break;
    }
  }
}

const isContent = (field: DescField): boolean => field.proto.options?.debugRedact ?? false;
