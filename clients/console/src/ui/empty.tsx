import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** Says that there is nothing, and what would bring something. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div style={{ padding: '2.5rem 1rem', textAlign: 'center' }}>
      <Text fw={600}>{title}</Text>
      {children !== undefined && (
        <Text c="dimmed" size="sm" mt={4} component="div">
          {children}
        </Text>
      )}
    </div>
  );
}
