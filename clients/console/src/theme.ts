import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

/** The sea at dusk: from foam to the deep. */
const tide: MantineColorsTuple = [
  '#eefaf8',
  '#d8f1ed',
  '#aee2da',
  '#7fd1c5',
  '#55bfb1',
  '#35aa9b',
  '#1f9183',
  '#0f766e',
  '#0c5f59',
  '#084742',
];

/** Greys of the dark ground, with a little of the sea in them. */
const dark: MantineColorsTuple = [
  '#dbe5ea',
  '#b7c6ce',
  '#93a4ae',
  '#6d808b',
  '#3c4e58',
  '#31434d',
  '#1a272f',
  '#141f26',
  '#0f191f',
  '#0a1216',
];

export const theme = createTheme({
  colors: { tide, dark },
  primaryColor: 'tide',
  primaryShade: { light: 7, dark: 4 },
  autoContrast: true,
  defaultRadius: 'md',
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace",
  headings: { fontFamily: "'Inter Variable', system-ui, sans-serif", fontWeight: '600' },
  cursorType: 'pointer',
  respectReducedMotion: true,
});

/** Greys that are readable on both grounds: 4.5 to 1 and more. */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#f7f9fa',
    '--mantine-color-text': '#16222b',
    '--mantine-color-dimmed': '#56656f',
    '--mantine-color-placeholder': '#6a7880',
    '--mantine-color-anchor': '#0c655e',
    '--mantine-color-error': '#b3242f',
  },
  dark: {
    '--mantine-color-body': '#0e161b',
    '--mantine-color-text': '#dbe5ea',
    '--mantine-color-dimmed': '#93a4ae',
    '--mantine-color-placeholder': '#83949e',
    '--mantine-color-anchor': '#7fd1c5',
    '--mantine-color-error': '#ff8b93',
  },
});
