import type { Sql } from '../api.ts';
import type { OutgoingEvent } from './outgoing-event.ts';

interface Wanted {
  readonly topic: string;
  readonly key: Buffer;
  /** Places of the key's events in the list. */
  readonly places: number[];
}

/**
 * Draws the revisions of events, and locks their keys until the transaction ends. Keys are locked in sorted order, so
 * that two transactions do not wait for each other in a ring.
 *
 * @returns the revision of each event, undefined on topics that have none
 */
export async function raiseRevisions(sql: Sql, events: readonly OutgoingEvent[]): Promise<(bigint | undefined)[]> {
  const revisions = new Array<bigint | undefined>(events.length).fill(undefined);
  const wanted = collect(events);
  if (wanted.size === 0) return revisions;
  const sorted = [...wanted.values()].sort((a, b) => compareText(a.topic, b.topic) || Buffer.compare(a.key, b.key));
  const rows = await sql.query<{ topic: string; key: Buffer; revision: bigint }>(
    // A key of a problem that was forgotten goes on from where its revisions were hidden: above its tombstone.
    `WITH wanted AS (
       SELECT * FROM unnest($1::text[], $2::bytea[], $3::bigint[]) WITH ORDINALITY AS w (topic, key, raise, ordinal)
     ), hidden AS (
       DELETE FROM outgoing_revisions h USING wanted w
       WHERE EXISTS (SELECT FROM forgotten_problems) AND h.topic = w.topic AND h.key = '\\x00'::bytea || sha256(w.key)
       RETURNING w.topic, w.key, h.revision
     )
     INSERT INTO outgoing_revisions AS r (topic, key, revision)
     SELECT w.topic, w.key, w.raise + coalesce(h.revision, 0)
     FROM wanted w LEFT JOIN hidden h USING (topic, key)
     ORDER BY ordinal
     ON CONFLICT (topic, key) DO UPDATE SET revision = r.revision + excluded.revision
     RETURNING topic, key, revision`,
    [sorted.map((w) => w.topic), sorted.map((w) => w.key), sorted.map((w) => w.places.length)],
  );
  for (const { topic, key, revision } of rows) {
    const places = wanted.get(nameOf(topic, key))?.places ?? [];
    places.forEach((place, index) => {
      revisions[place] = revision - BigInt(places.length - 1 - index);
    });
  }
  return revisions;
}

function collect(events: readonly OutgoingEvent[]): Map<string, Wanted> {
  const wanted = new Map<string, Wanted>();
  events.forEach(({ topic, key, revisioned }, place) => {
    if (!revisioned || key === null) return;
    const name = nameOf(topic, key);
    const known = wanted.get(name);
    if (known === undefined) wanted.set(name, { topic, key, places: [place] });
    else known.places.push(place);
  });
  return wanted;
}

const nameOf = (topic: string, key: Buffer): string => `${topic}/${key.toString('hex')}`;
const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
