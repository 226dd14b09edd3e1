import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './client.ts';
import { onLive } from './live.ts';

/** Shortest time between two readings of the same thing because something changed. */
const FRESH_MS = 4_000;

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      refetchOnWindowFocus: false,
      // What the gateway refused it refuses again; what did not arrive may.
      retry: (failures, error) => failures < 2 && (!(error instanceof ApiError) || error.status === 0),
    },
  },
});

let readAt = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Whatever is on the page is read anew when the live stream tells of a change: soon, and not often. */
onLive(() => {
  timer ??= setTimeout(
    () => {
      timer = undefined;
      readAt = Date.now();
      void queries.invalidateQueries({
        predicate: ({ queryKey, state }) => queryKey[0] === 'live' && pagesOf(state.data) <= 1,
      });
    },
    Math.max(0, readAt + FRESH_MS - Date.now()),
  );
});

/** A long list that jumped under the reader's eyes would be worse than one that is a moment old. */
const pagesOf = (data: unknown): number =>
  typeof data === 'object' && data !== null && 'pages' in data && Array.isArray(data.pages) ? data.pages.length : 1;
