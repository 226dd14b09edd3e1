/** The policies that there are, by name. */
export const policyNames = ['edge'] as const;
export type PolicyName = (typeof policyNames)[number];
