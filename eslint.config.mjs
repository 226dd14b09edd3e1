import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** What the compiler doesn't see and a reader would miss. Formatting is Biome's; layers are dependency-cruiser's. */
export default defineConfig(
  globalIgnores(['**/dist/', '**/node_modules/', 'proto/src/generated/', '.tidemark/', '.nx/', '**/*.{js,mjs,cjs}']),
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.spec.json', './clients/console/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    // A rule that is wrong is changed here, for all to see.
    linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: false },
      ],
      '@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: true }],
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
      '@typescript-eslint/ban-ts-comment': [
        'error',
        { 'ts-expect-error': true, 'ts-ignore': true, 'ts-nocheck': true },
      ],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrorsIgnorePattern: '^_' },
      ],
      // An implementation of an asynchronous port may have nothing to wait for.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // Ports and options are written with method signatures, and passed on as plain functions.
      '@typescript-eslint/unbound-method': 'off',
      'no-console': 'error',
      eqeqeq: 'error',
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: 'Only a *.config.ts reads the environment, once, by its schema.',
        },
      ],
      'no-restricted-imports': [
        'error',
        {
          paths: [{ name: 'node:process', importNames: ['env'], message: 'Only a *.config.ts reads the environment.' }],
        },
      ],
    },
  },
  {
    files: [
      '**/*.config.ts',
      // The runtime alone hands the environment to a service's schema.
      'libs/stage-runtime/src/{run-alone,start-stage}.ts',
      '**/*.spec.ts',
      '**/testing/**',
      'libs/testing-servers/**',
      'bench/**',
      'tools/**',
      'samples/**',
    ],
    rules: { 'no-restricted-properties': 'off', 'no-console': 'off' },
  },
  {
    // What a spec parses it compares at once; a wrong guess at its type fails the spec.
    files: ['**/*.spec.ts', '**/testing/**'],
    rules: {
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
);
