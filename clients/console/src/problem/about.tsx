import type { Story } from '../api/types.ts';
import { Card } from '../ui/card.tsx';
import { plain } from '../words.ts';
import classes from './problem.module.css';

/** Where it comes from, what kind of task it is, and how hard it was predicted to be. */
export function About({ story }: { readonly story: Story }) {
  const { origin, normalized, score, submitter } = story;
  const content = normalized?.content ?? {};
  const text = (value: unknown) => (typeof value === 'string' ? plain(value) : '');
  const rows: [string, string][] = [
    ['Source', `${story.namespace} ${story.record_id}`],
    ['File', story.source_file === '' ? '' : `${story.source_file}, record ${story.source_record}`],
    ['Handed in by', submitter],
    ['Origin', text(origin?.kind)],
    ['Licence', origin?.licence ?? ''],
    ['Task', [text(content.task_kind), text(content.test_form)].filter((part) => part !== '').join(', ')],
    ['Languages', Array.isArray(content.languages) ? content.languages.join(', ') : ''],
    ['Entry point', typeof content.entry_point === 'string' ? content.entry_point : ''],
    [
      'Predicted score',
      score === null ? '' : `${score.score.toFixed(2)} of 5, by ${score.predictor?.name ?? 'an unknown predictor'}`,
    ],
    [
      'Dimensions',
      Object.entries(score?.dimensions ?? {})
        .map(([name, value]) => `${plain(name)} ${Number(value.toFixed(1))}`)
        .join(', '),
    ],
    ['Id', story.problem_id],
  ];
  return (
    <Card title="About it">
      <table className={classes.plain}>
        <tbody>
          {rows
            .filter(([, value]) => value.trim() !== '')
            .map(([label, value]) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td>{value}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </Card>
  );
}
