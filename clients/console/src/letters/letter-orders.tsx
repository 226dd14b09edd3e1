import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { askJson } from '../api/client.ts';
import { queries } from '../api/queries.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { counted } from '../words.ts';
import type { Chosen, Decided } from './letter-types.ts';

/** Handle again, or put away; afterwards what became of it. */
export function LetterOrders({ chosen, many }: { readonly chosen: Chosen; readonly many: string }) {
  const order = useMutation({
    mutationFn: (what: 'replay' | 'drop') =>
      askJson<Decided>(`/v1/dead-letters/${what}`, { method: 'POST', body: chosen }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['live'] }),
  });
  return (
    <div>
      <Group gap="xs">
        <Button size="compact-sm" loading={order.isPending} onClick={() => order.mutate('replay')}>
          Handle {many} again
        </Button>
        <Button size="compact-sm" variant="default" disabled={order.isPending} onClick={() => order.mutate('drop')}>
          Put {many} away
        </Button>
        {order.data !== undefined && (
          <Text size="sm" role="status">
            {outcomeOf(order.data)}
          </Text>
        )}
      </Group>
      {order.error !== null && (
        <div style={{ marginTop: '0.6rem' }}>
          <ErrorNote error={order.error} />
        </div>
      )}
    </div>
  );
}

function outcomeOf({ replayed, dropped, refused, more }: Decided): string {
  const done =
    replayed === undefined
      ? `${counted(dropped ?? 0, 'record was', 'records were')} put away.`
      : `${counted(replayed, 'record goes', 'records go')} to the service once more.`;
  const [first] = refused;
  const left = first === undefined ? '' : ` ${counted(refused.length, 'was', 'were')} refused: ${first.reason}`;
  return `${done}${left}${more ? ' There are more: order it again.' : ''}`;
}
