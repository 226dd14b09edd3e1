import { useSyncExternalStore } from 'react';
import { ApiError, ask } from './client.ts';
import { readEvents } from './read-events.ts';
import type { Status } from './types.ts';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

/** What the page knows of now. */
export interface Live {
  readonly status: Status | undefined;
  readonly connection: 'connecting' | 'live' | 'lost';
  /** Why there is nothing newer; undefined while all is well. */
  readonly error: ApiError | undefined;
}

let live: Live = { status: undefined, connection: 'connecting', error: undefined };
const watchers = new Set<() => void>();
let following: AbortController | undefined;

function change(next: Partial<Live>): void {
  live = { ...live, ...next };
  for (const watcher of watchers) watcher();
}

/**
 * Follows the gateway's live stream and starts again when it breaks, at growing distances. One stream serves the whole
 * page. It is read by `fetch`: an EventSource could not carry an access token.
 */
async function follow(signal: AbortSignal): Promise<void> {
  for (let wait = FIRST_WAIT_MS; !signal.aborted; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    try {
      const response = await ask('/v1/events', { signal });
      for await (const { event, data } of readEvents(response)) {
        if (event === 'goodbye') break;
        const told = JSON.parse(data) as Status & { title?: string };
        if (event === 'status') change({ status: told, connection: 'live', error: undefined });
        if (event === 'trouble')
          change({ error: new ApiError(503, 'trouble', told.title ?? '', '', 'It is tried again.') });
        wait = FIRST_WAIT_MS;
      }
      change({ connection: 'lost' });
    } catch (error) {
      if (signal.aborted) return;
      const known = error instanceof ApiError ? error : undefined;
      change({ connection: 'lost', error: known });
      if (known?.status === 401) return;
    }
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

/** Begins, or begins again: after another token was given. */
export function followLive(): void {
  following?.abort();
  following = new AbortController();
  change({ connection: 'connecting', error: undefined });
  void follow(following.signal);
}

const subscribe = (watcher: () => void): (() => void) => {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
};

/** The newest that is known, painted anew with each change. */
export const useLive = (): Live => useSyncExternalStore(subscribe, () => live);

/** For what is not a component. */
export const onLive = (watcher: (now: Live) => void): (() => void) => subscribe(() => watcher(live));
