/** A blob that lies in the store. */
export interface StoredBlob {
  readonly sha256: string;
  /** As it lies there, compressed, in bytes. */
  readonly storedBytes: number;
  /** When it was put last, in ms since 1970, by the store's clock. */
  readonly putAtMs: number;
}

/**
 * Where big things lie: content-addressed, written once, never changed. An abstract class, so that it is both the port
 * and the token by which services inject it.
 */
export abstract class BlobStore {
  /**
   * Stores bytes and answers with their SHA-256 (64 hexadecimal digits). When it resolves they outlive a power cut, so
   * an event may name them. Storing again what is there costs a look, and makes it young again.
   */
  abstract put(bytes: Uint8Array): Promise<string>;

  /**
   * @throws BlobMissingError nothing is stored under that hash
   * @throws BlobDamagedError what is stored has another hash
   */
  abstract get(sha256: string): Promise<Uint8Array>;

  /** Everything that is there; what is put or removed meanwhile may be among it or not. */
  abstract list(): AsyncIterable<StoredBlob>;

  /**
   * Removes a blob, unless it was put again since: then it stays whole, whoever comes first.
   *
   * @param putBeforeMs it must have been put last before this time, in ms since 1970
   * @returns false when it stays, or is not there
   */
  abstract remove(sha256: string, putBeforeMs: number): Promise<boolean>;
}

/** Base of what a blob store throws; `code` is stable. */
export class BlobError extends Error {
  constructor(
    readonly code: 'blob_missing' | 'blob_damaged',
    readonly sha256: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = new.target.name;
  }
}

export class BlobMissingError extends BlobError {
  constructor(sha256: string, options?: ErrorOptions) {
    super('blob_missing', sha256, `no blob ${sha256}`, options);
  }
}

export class BlobDamagedError extends BlobError {
  constructor(sha256: string, options?: ErrorOptions) {
    super('blob_damaged', sha256, `blob ${sha256} is not what its name says`, options);
  }
}
