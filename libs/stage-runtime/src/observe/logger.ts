import type { LoggerService } from '@nestjs/common';
import { type Logger, pino } from 'pino';

/**
 * One JSON object a line; stable messages, ids as fields. Never given solutions, tests or secrets.
 *
 * @param file appended to, a line at once; without it lines go to stdout
 */
export function createLogger(service: string, level: string, file?: string): Logger {
  const options = { level, base: { service }, timestamp: pino.stdTimeFunctions.isoTime };
  if (file === undefined) return pino(options);
  const destination = pino.destination({ dest: file, sync: true });
  // A full disk costs log lines, not the service; it is said once, where someone may still see it.
  let said = false;
  destination.on('error', (error: Error) => {
    if (!said) process.stderr.write(`tidemark ${service}: log lines are lost: ${error.message}\n`);
    said = true;
  });
  return pino(options, destination);
}

/** An error as log fields: name, message, code and stack, and nothing of the values that a query carried. */
export function errorFields(error: unknown): Record<string, string> {
  if (!(error instanceof Error)) return { error: String(error) };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  return { error: error.message, errorName: error.name, ...code, ...(error.stack ? { stack: error.stack } : {}) };
}

/** Nest's own messages, of which only warnings and errors are worth a line. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown): void {
    this.logger.debug(String(message));
  }

  warn(message: unknown): void {
    this.logger.warn(String(message));
  }

  error(message: unknown, stack?: unknown): void {
    this.logger.error(typeof stack === 'string' ? { stack } : {}, String(message));
  }
}
