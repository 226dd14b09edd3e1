import type { DescField, DescMessage, Message } from '@bufbuild/protobuf';
import { ScalarType } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';

const fields = new WeakMap<DescMessage, DescField>();

/** Reads `revision` of a message. */
export function revisionOf(schema: DescMessage, message: Message): bigint {
  return reflect(schema, message).get(revisionField(schema)) as bigint;
}

/** Sets `revision` in the message itself. */
export function setRevision(schema: DescMessage, message: Message, revision: bigint): void {
  reflect(schema, message).set(revisionField(schema), revision);
}

function revisionField(schema: DescMessage): DescField {
  const known = fields.get(schema);
  if (known !== undefined) return known;
  const field = schema.fields.find(({ name }) => name === 'revision');
  if (field?.fieldKind !== 'scalar' || field.scalar !== ScalarType.UINT64) {
    throw new TypeError(`${schema.typeName} stands on a revisioned topic and has no field "uint64 revision"`);
  }
  fields.set(schema, field);
  return field;
}
