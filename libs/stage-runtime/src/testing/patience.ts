/** How long specs wait for what is to come, in ms: several of them share two cores. */
export const PATIENCE = { timeout: 20_000 };
