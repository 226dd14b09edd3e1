export * from './candidate.ts';
export * from './choose-working-set.ts';
export * from './draw.ts';
export * from './edge-policy.ts';
export * from './mixed-probability.ts';
export * from './policies.ts';
export * from './settings.ts';
