import { Alert, Button } from '@mantine/core';
import { ApiError } from '../api/client.ts';

/** What happened, why, and what to do; never only that something failed. */
export function ErrorNote({ error, retry }: { readonly error: Error; readonly retry?: (() => void) | undefined }) {
  const known = error instanceof ApiError ? error : undefined;
  const why = known !== undefined && known.why !== '' && known.why !== known.message ? known.why : '';
  return (
    <Alert role="alert" color="red" variant="light" mb="md" title={error.message} styles={ALERT}>
      {why !== '' && <div>{why}</div>}
      <div>{known?.todo ?? 'Load the page again; if it stays, it is a fault of the console.'}</div>
      {retry !== undefined && (
        <Button mt="xs" size="compact-sm" variant="default" onClick={retry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}

const ALERT = { title: { color: 'var(--mantine-color-text)' }, message: { color: 'var(--mantine-color-text)' } };
