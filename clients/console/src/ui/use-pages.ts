import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { askJson, pathWith } from '../api/client.ts';

interface Page {
  readonly next: string | null;
}

/**
 * A list page by page, more as one scrolls. It is read anew on changes while only its first page is here.
 */
export function usePages<P extends Page, Row>(
  path: string,
  query: Readonly<Record<string, string | undefined>>,
  rowsOf: (page: P) => readonly Row[],
) {
  const result = useInfiniteQuery({
    queryKey: ['live', path, query],
    queryFn: ({ pageParam, signal }) =>
      askJson<P>(pathWith(path, { ...query, limit: 100, cursor: pageParam }), { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
  const { data, fetchNextPage, hasNextPage, isFetchingNextPage } = result;
  const more = useCallback(() => void fetchNextPage(), [fetchNextPage]);
  return {
    first: data?.pages[0],
    rows: data?.pages.flatMap(rowsOf) ?? [],
    more: hasNextPage ? more : undefined,
    loadingMore: isFetchingNextPage,
    error: result.error,
    loading: result.isPending,
    retry: () => void result.refetch(),
  };
}
