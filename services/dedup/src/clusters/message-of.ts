import type { Standing } from './decide-cluster.ts';
import type { ClusterFacts } from './decide-words.ts';

/** What dedup says of a problem, for people: one sentence. Empty where another stage has the word. */
export function messageOf(standing: Standing, facts: ClusterFacts): string {
  switch (standing.kind) {
    case 'represents': {
      const others = facts.size - 1;
      const duplicates = `${others} exact ${others === 1 ? 'duplicate' : 'duplicates'}`;
      if (facts.equalStatements.length === 0) {
        return others === 0 ? 'No other problem is like it.' : `Represents ${duplicates}.`;
      }
      return others === 0
        ? 'Unique by its tests; others have the same statement.'
        : `Represents ${duplicates}; others have the same statement and other tests.`;
    }
    case 'duplicate':
      return `Statement, signature and tests equal those of ${standing.of}.`;
    case 'contaminated':
      return `${Math.round(standing.by.similarity * 100)}% of it is in benchmark ${standing.by.benchmark}, problem ${standing.by.itemId}.`;
    case 'excluded':
      return '';
  }
}
