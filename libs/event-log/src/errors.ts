/** Base of what the log throws: a stable code, whether trying again can help, and the values as fields. */
export class EventLogError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly retriable: boolean,
    readonly fields: Readonly<Record<string, string | number | boolean>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The log can't be reached, or the outcome of a write is unknown. Trying again helps once it is back. */
export class LogUnavailableError extends EventLogError {
  constructor(message: string, options?: ErrorOptions) {
    super('log_unavailable', message, true, {}, options);
  }
}

/** A newer writer holds the name: this one must be discarded. */
export class FencedError extends EventLogError {
  constructor(writer: string, options?: ErrorOptions) {
    super('writer_fenced', `a newer writer holds the name ${writer}`, false, { writer }, options);
  }
}

/** The stored offset lies outside the log: records were removed before they were read, or the log was replaced. */
export class OffsetOutOfRangeError extends EventLogError {
  constructor(
    topic: string,
    readonly partition: number,
    wanted: bigint,
    logStart: bigint,
    logEnd: bigint,
  ) {
    super(
      'offset_out_of_range',
      `${topic}/${partition}: stored offset ${wanted} is outside the log (${logStart} to ${logEnd})`,
      false,
      { topic, partition, wanted: String(wanted), logStart: String(logStart), logEnd: String(logEnd) },
    );
  }
}

/** A record is larger than the log takes. */
export class RecordTooLargeError extends EventLogError {
  constructor(topic: string, bytes: number, limitBytes: number) {
    super('record_too_large', `a record of ${bytes} bytes for ${topic} is over the limit of ${limitBytes}`, false, {
      topic,
      bytes,
      limitBytes,
    });
  }
}

/** A topic is not there, or is there with other settings than asked for. */
export class TopicMismatchError extends EventLogError {
  constructor(topic: string, message: string) {
    super('topic_mismatch', `${topic}: ${message}`, false, { topic });
  }
}
