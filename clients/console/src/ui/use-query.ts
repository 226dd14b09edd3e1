import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';

/**
 * The filters in the address: what one sees can be sent to somebody else, and Back undoes a choice.
 *
 * @returns the values, and a setter that leaves out what is empty
 */
export function useAddressQuery<Name extends string>(
  names: readonly Name[],
): [Readonly<Record<Name, string>>, (changes: Partial<Record<Name, string>>, how?: { replace: boolean }) => void] {
  const search = useSearch();
  const [location, navigate] = useLocation();
  const list = names.join(' ');
  const values = useMemo(() => {
    const parameters = new URLSearchParams(search);
    return Object.fromEntries(list.split(' ').map((name) => [name, parameters.get(name) ?? ''])) as Record<
      Name,
      string
    >;
  }, [search, list]);
  const change = useCallback(
    (changes: Partial<Record<Name, string>>, { replace } = { replace: false }) => {
      const parameters = new URLSearchParams(search);
      for (const [name, value] of Object.entries<string | undefined>(changes)) {
        if (value === undefined || value === '') parameters.delete(name);
        else parameters.set(name, value);
      }
      const text = parameters.toString();
      navigate(text === '' ? location : `${location}?${text}`, { replace });
    },
    [search, location, navigate],
  );
  return [values, change];
}
