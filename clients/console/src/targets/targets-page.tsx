import { Skeleton, Stack, Title } from '@mantine/core';
import { useLive } from '../api/live.ts';
import { usePageTitle } from '../ui/shell.tsx';
import { TargetCards } from './target-cards.tsx';

export function TargetsPage() {
  usePageTitle('Targets');
  const { status } = useLive();
  return (
    <Stack gap="lg">
      <Title order={1} size="h3">
        Targets
      </Title>
      {status === undefined ? <Skeleton height={180} radius="md" /> : <TargetCards targets={status.targets} />}
    </Stack>
  );
}
