import { hashOfFields } from '@tidemark/identity';

export interface UploadParts {
  readonly kind: 'problems' | 'rollouts';
  readonly submitter: string;
  readonly namespace: string;
  readonly format: string;
  /** Of the content. */
  readonly sha256: string;
  readonly idempotencyKey: string | undefined;
}

export interface UploadIdentity {
  /** Names the upload: event ids of its records derive from it, so that sending it again gives the same. */
  readonly uploadId: string;
  /**
   * What ids of groups without one derive from: the hash of the file, or of the key where the submitter gave one. A
   * model repeats itself, so that two uploads of one group may be equal to the byte, and each counts.
   */
  readonly fileSha256: string;
}

/** The same upload has the same identity, however often it is sent. */
export function identifyUpload({
  kind,
  submitter,
  namespace,
  format,
  sha256,
  idempotencyKey,
}: UploadParts): UploadIdentity {
  if (idempotencyKey !== undefined) {
    const named = hashOfFields('idempotency-key', kind, submitter, idempotencyKey);
    return { uploadId: named, fileSha256: named };
  }
  return { uploadId: hashOfFields('upload', kind, submitter, namespace, format, sha256), fileSha256: sha256 };
}
