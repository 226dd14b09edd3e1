const KEY = 'tidemark-token';

/** The access token that was typed in, kept for this tab alone. */
export const token = {
  read: (): string | undefined => sessionStorage.getItem(KEY) ?? undefined,
  write: (value: string): void => sessionStorage.setItem(KEY, value),
  forget: (): void => sessionStorage.removeItem(KEY),
};

/** Headers that say who asks. */
export function authorization(): Record<string, string> {
  const value = token.read();
  return value === undefined ? {} : { authorization: `Bearer ${value}` };
}
