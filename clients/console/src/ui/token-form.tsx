import { Button, Container, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { followLive } from '../api/live.ts';
import { token } from '../api/token.ts';

/** Asks for the access token that the gateway was started with. */
export function TokenForm({ refused }: { readonly refused: boolean }) {
  const [value, setValue] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    token.write(value.trim());
    followLive();
  };
  return (
    <Container size={420} pt={80} component="main">
      <Paper withBorder p="xl" bg="var(--ground)">
        <form onSubmit={submit}>
          <Stack>
            <Title order={1} size="h3">
              Tidemark
            </Title>
            <Text c="dimmed" size="sm">
              This gateway wants an access token. It stays in this tab and is gone when you close it.
            </Text>
            <PasswordInput
              label="Access token"
              value={value}
              onChange={(event) => setValue(event.currentTarget.value)}
              error={refused ? 'This is not the token that the gateway was started with.' : undefined}
              autoComplete="current-password"
              data-autofocus
            />
            <Button type="submit" disabled={value.trim() === ''}>
              Open
            </Button>
          </Stack>
        </form>
      </Paper>
    </Container>
  );
}
