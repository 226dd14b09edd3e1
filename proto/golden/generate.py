"""Writes golden.jsonl: for every message of the contracts, one filled and one empty instance as bytes and as JSON.

The bytes come from Google's own Python implementation, so that the TypeScript one is checked against another.
Needs `pip install protobuf==6.33.0`; reads the descriptor set that `buf build -o image.binpb` writes.

    python3 proto/golden/generate.py proto/image.binpb > proto/golden/golden.jsonl
"""

import hashlib
import json
import sys

from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
from google.protobuf.descriptor import FieldDescriptor as F


def main(image_path: str) -> None:
    files = descriptor_pb2.FileDescriptorSet.FromString(open(image_path, "rb").read())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    names = [f"{file.package}.{m.name}" for file in files.file if file.package.startswith("tidemark") for m in file.message_type]
    for name in sorted(names):
        cls = message_factory.GetMessageClass(pool.FindMessageTypeByName(name))
        for label, message in (("filled", fill(cls(), 0)), ("empty", cls())):
            row = {
                "message": name,
                "case": label,
                "hex": message.SerializeToString(deterministic=True).hex(),
                "json": json_format.MessageToDict(message),
            }
            print(json.dumps(row, sort_keys=True))


def fill(message, depth: int):
    """Sets every field to a value drawn from its name; of a oneof, the last member."""
    for field in message.DESCRIPTOR.fields:
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            entry = field.message_type.fields_by_name
            value = entry["value"]
            key = str(scalar(entry["key"]))
            if value.message_type is None:
                getattr(message, field.name)[key] = scalar(value)
            elif depth <= 3:
                fill(getattr(message, field.name)[key], depth + 1)
        elif field.message_type is not None:
            if depth > 3:
                continue
            if field.is_repeated:
                fill(getattr(message, field.name).add(), depth + 1)
            elif field.message_type.full_name == "google.protobuf.Timestamp":
                getattr(message, field.name).FromMilliseconds(1_700_000_000_000 + number(field) % 1_000_000)
            else:
                target = getattr(message, field.name)
                target.SetInParent()
                fill(target, depth + 1)
        elif field.is_repeated:
            getattr(message, field.name).append(scalar(field))
        else:
            setattr(message, field.name, scalar(field))
    return message


def number(field) -> int:
    return int.from_bytes(hashlib.sha256(field.full_name.encode()).digest()[:4], "big")


def scalar(field):
    kind, n = field.type, number(field)
    if kind == F.TYPE_STRING:
        return f"{field.name} \u00e9\u4e16 {n}"
    if kind == F.TYPE_BYTES:
        return hashlib.sha256(field.full_name.encode()).digest()[:7] + b"\x00\xff"
    if kind == F.TYPE_BOOL:
        return True
    if kind in (F.TYPE_DOUBLE, F.TYPE_FLOAT):
        return n / 7.0
    if kind == F.TYPE_ENUM:
        return field.enum_type.values[-1].number
    if kind == F.TYPE_UINT64:
        return 2**63 + n
    if kind == F.TYPE_INT64:
        return -(2**53) - n
    if kind == F.TYPE_UINT32:
        return n
    raise ValueError(f"{field.full_name}: no value for type {kind}")


main(sys.argv[1])
