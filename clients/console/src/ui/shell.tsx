import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { Link, useLocation } from 'wouter';
import { type Live, useLive } from '../api/live.ts';
import { ErrorNote } from './error-note.tsx';
import classes from './shell.module.css';

const PAGES = [
  ['/', 'Flow'],
  ['/targets', 'Targets'],
  ['/problems', 'Problems'],
  ['/dead-letters', 'Dead letters'],
  ['/services', 'Services'],
] as const;

/** What stands around every page. */
export function Shell({ children }: { readonly children: ReactNode }) {
  const live = useLive();
  return (
    <>
      <a className={classes.skip} href="#main">
        Go to the content
      </a>
      <header className={classes.header}>
        <div className={classes.bar}>
          <Link href="/" className={classes.brand}>
            <Wave />
            Tidemark
          </Link>
          <Navigation />
          <div className={classes.controls}>
            <LiveSign live={live} />
            <SchemeButton />
          </div>
        </div>
      </header>
      <main id="main" className={classes.main} tabIndex={-1}>
        {live.error !== undefined && live.connection !== 'live' && <ErrorNote error={live.error} />}
        {children}
      </main>
    </>
  );
}

function Navigation() {
  const [location] = useLocation();
  const isCurrent = (path: string) => (path === '/' ? location === '/' : location.startsWith(path));
  return (
    <nav className={classes.nav} aria-label="Pages">
      {PAGES.map(([path, label]) => (
        <Link key={path} href={path} aria-current={isCurrent(path) ? 'page' : undefined}>
          {label}
        </Link>
      ))}
    </nav>
  );
}

function LiveSign({ live: { connection, status } }: { readonly live: Live }) {
  const words = { connecting: 'connecting', lost: 'reconnecting', live: status?.quiet ? 'live, all quiet' : 'live' };
  const moving = connection === 'live' && status?.quiet === false;
  return (
    <span className={classes.live} role="status">
      <span className={classes.pulse} data-state={connection} data-moving={moving || undefined} aria-hidden />
      {words[connection]}
    </span>
  );
}

function SchemeButton() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const other = scheme === 'dark' ? 'light' : 'dark';
  return (
    <ActionIcon variant="subtle" color="gray" aria-label={`Switch to ${other}`} onClick={() => setColorScheme(other)}>
      <svg viewBox="0 0 24 24" width="18" height="18" fill="none" stroke="currentColor" strokeWidth="1.8" aria-hidden>
        {scheme === 'dark' ? (
          <path d="M12 4v-2M12 22v-2M4 12H2M22 12h-2M5 5l1.5 1.5M17.5 17.5 19 19M19 5l-1.5 1.5M6.5 17.5 5 19M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8Z" />
        ) : (
          <path d="M20 14.5A8 8 0 0 1 9.5 4a8 8 0 1 0 10.5 10.5Z" />
        )}
      </svg>
    </ActionIcon>
  );
}

function Wave() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden>
      <rect width="32" height="32" fill="#0f766e" />
      <path
        d="M5 13c3.7-4 7.3-4 11 0s7.3 4 11 0M5 21c3.7-4 7.3-4 11 0s7.3 4 11 0"
        fill="none"
        stroke="#fff"
        strokeWidth="2.6"
        strokeLinecap="round"
      />
    </svg>
  );
}

/** Names the tab after what is shown. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Tidemark' : `${title} · Tidemark`;
  }, [title]);
}
