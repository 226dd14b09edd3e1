import '@fontsource-variable/inter/wght.css';
import '@mantine/core/styles.css';
import './styles.css';
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { followLive } from './api/live.ts';
import { queries } from './api/queries.ts';
import { App } from './app.tsx';
import { theme, variables } from './theme.ts';

/** Styles that components make at run time carry the page's nonce: its policy lets no other in. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name="tidemark-nonce"]')?.content ?? '';
const root = document.getElementById('root');
if (root === null) throw new Error('the page has no root');

followLive();
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
