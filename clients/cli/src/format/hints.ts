/** What the gateway advises in its own words, in those of the command line. */
const COMMANDS: readonly (readonly [RegExp, string])[] = [
  [/PUT \/v1\/targets\/<slug>/g, 'tidemark target declare <slug>'],
  [/GET \/v1\/submissions/g, 'tidemark explain --namespace <name> --id <id>'],
  [/GET \/v1\/topics lists/g, 'tidemark topics list lists'],
  [/GET \/v1\/dead-letters lists/g, 'tidemark dlq list lists'],
  [/GET \/v1\/status/g, 'tidemark status'],
];

export const inCommands = (advice: string): string =>
  COMMANDS.reduce((text, [http, command]) => text.replaceAll(http, command), advice);
