import { Link } from 'wouter';
import type { EvidenceItem, Story } from '../api/types.ts';
import { Card } from '../ui/card.tsx';
import { plain, when } from '../words.ts';
import classes from './problem.module.css';

const MARKS: Readonly<Record<string, string>> = {
  passed: 'var(--ready)',
  rejected: 'var(--rejected)',
  waiting: 'var(--waiting)',
  dead_lettered: 'var(--dead-lettered)',
};

/** What each stage said, in the order of the way, and what was taken back. */
export function Stages({ story }: { readonly story: Story }) {
  return (
    <Card title="Its way">
      <ol className={classes.story}>
        {story.stages.map((word) => (
          <li key={word.stage}>
            <span className={classes.mark} style={{ background: MARKS[word.outcome] ?? 'var(--way)' }} aria-hidden />
            <div className={classes.step}>
              <strong>{word.stage}</strong>
              <span>
                {plain(word.outcome)}
                {word.reason !== '' && `: ${plain(word.reason)}`}
              </span>
              {word.version > 1 && <span className={classes.label}>version {word.version}</span>}
              {word.decided_at !== null && <time dateTime={word.decided_at}>{when(word.decided_at)}</time>}
            </div>
            {word.message !== '' && <div className={classes.facts}>{word.message}</div>}
            <EvidenceList evidence={word.evidence} />
          </li>
        ))}
        {story.withdrawals.map((withdrawal) => (
          <li key={`withdrawn ${withdrawal.stage}`}>
            <span className={classes.mark} style={{ background: 'var(--withdrawn)' }} aria-hidden />
            <div className={classes.step}>
              <strong>{withdrawal.stage}</strong>
              <span>
                {withdrawal.taken_back ? 'took its withdrawal back' : `withdrew it: ${plain(withdrawal.reason)}`}
              </span>
              {withdrawal.withdrawn_at !== null && <time>{when(withdrawal.withdrawn_at)}</time>}
            </div>
            {withdrawal.successor_id !== '' && (
              <div className={classes.facts}>
                In its place: <Link href={`/problems/${withdrawal.successor_id}`}>{withdrawal.successor_id}</Link>
              </div>
            )}
            <EvidenceList evidence={withdrawal.evidence} />
          </li>
        ))}
        {story.dead_letters.map((letter) => (
          <li key={`${letter.service} ${letter.topic}`}>
            <span className={classes.mark} style={{ background: 'var(--dead-lettered)' }} aria-hidden />
            <div className={classes.step}>
              <strong>{letter.service}</strong>
              <span>laid a record aside: {plain(letter.error_code)}</span>
              {letter.dead_lettered_at !== null && <time>{when(letter.dead_lettered_at)}</time>}
            </div>
            <div className={classes.facts}>
              {letter.error_message} <Link href="/dead-letters">All dead letters</Link>
            </div>
          </li>
        ))}
      </ol>
    </Card>
  );
}

function EvidenceList({ evidence }: { readonly evidence: readonly EvidenceItem[] }) {
  if (evidence.length === 0) return null;
  return (
    <ul className={classes.facts}>
      {evidence.map((fact, index) => (
        <li key={index}>
          {plain(fact.kind)}
          {fact.value !== undefined && ` ${Number(fact.value.toPrecision(3))}`}
          {fact.subject_id !== undefined && (
            <>
              {' '}
              <Subject id={fact.subject_id} />
            </>
          )}
          {fact.text !== '' && (fact.text.includes('\n') ? <pre tabIndex={0}>{fact.text}</pre> : `: ${fact.text}`)}
        </li>
      ))}
    </ul>
  );
}

/** A problem's id leads to its page; a benchmark's name stays a name. */
const Subject = ({ id }: { readonly id: string }) =>
  /^[0-9a-f]{32}$/.test(id) ? <Link href={`/problems/${id}`}>{id}</Link> : <span>{id}</span>;
