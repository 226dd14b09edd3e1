const A_DAY_MS = 86_400_000;

/**
 * When to come back, in ms from now: `Retry-After` as seconds or as a date (RFC 9110, section 10.2.3). Undefined when it
 * says nothing that can be read; never more than a day.
 */
export function comeBackMs(header: string | null, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}(?:\.\d+)?$/.test(text)) return Math.min(A_DAY_MS, Math.ceil(Number(text) * 1000));
  const date = text === '' ? Number.NaN : Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.min(A_DAY_MS, Math.max(0, date - nowMs));
}
