/** SQLSTATEs that the functions below raise. */
export const sqlStates = { fenced: 'TM001', topicGone: 'TM002' } as const;

/** Channels: what was appended (`topic:partition:logEnd,…`, or `*` when that is too long), and which group changed. */
export const channels = { appended: 'event_log_appended', group: 'event_log_group' } as const;

/**
 * Everything that must happen under locks is one call: a client that is stopped or killed between two statements leaves
 * no lock behind.
 */
export const functions = /* sql */ `
-- Makes a topic: its table of records, divided by segment, with the first segment, and its partitions.
CREATE OR REPLACE FUNCTION event_log.create_topic(
  p_name text, p_partitions int, p_cleanup text, p_retention_ms bigint, p_log_append_time boolean
) RETURNS void LANGUAGE plpgsql AS $create$
DECLARE
  v_topic int;
  v_segment int;
BEGIN
  INSERT INTO event_log.topics (name, cleanup, retention_ms, log_append_time)
  VALUES (p_name, p_cleanup, p_retention_ms, p_log_append_time) RETURNING id INTO v_topic;
  INSERT INTO event_log.segments (topic_id) VALUES (v_topic) RETURNING id INTO v_segment;
  EXECUTE format($table$
    CREATE TABLE event_log.%I (
      segment_id int NOT NULL,
      partition int NOT NULL,
      "offset" bigint NOT NULL,
      -- What the record says: the sender's time, or the log's own on topics with log-append time.
      timestamp_ms bigint NOT NULL,
      -- The log's own time, by which tombstones age.
      appended_ms bigint NOT NULL,
      bytes int NOT NULL,
      key bytea,
      value bytea,
      headers bytea NOT NULL,
      PRIMARY KEY (partition, "offset", segment_id)
    ) PARTITION BY LIST (segment_id)
  $table$, 'topic_' || v_topic);
  EXECUTE format('CREATE TABLE event_log.%I PARTITION OF event_log.%I FOR VALUES IN (%s)',
    'segment_' || v_segment, 'topic_' || v_topic, v_segment);
  INSERT INTO event_log.partitions (topic_id, partition, segment_id)
  SELECT v_topic, n, v_segment FROM generate_series(0, p_partitions - 1) AS n;
END $create$;

DROP FUNCTION IF EXISTS event_log.append(text, bigint, bigint, int[], int[], int[], int[], int[], int[], bytea);

-- Appends records to their partitions, all or none, if the writer's epoch is still the newest. p_data holds the bytes of
-- all records, each as key, value, headers from p_starts on; a length of -1 stands for null.
-- Answers with the new ends, to be announced after the commit: a NOTIFY in this transaction would let all commits of the
-- server wait for each other's disk writes.
CREATE OR REPLACE FUNCTION event_log.append(
  p_writer text, p_epoch bigint, p_sent_ms bigint, p_topics int[], p_partitions int[],
  p_starts int[], p_key_bytes int[], p_value_bytes int[], p_header_bytes int[], p_data bytea
) RETURNS text LANGUAGE plpgsql AS $append$
DECLARE
  v_now_ms bigint := floor(extract(epoch FROM clock_timestamp()) * 1000);
  v_topic int;
  v_locked int;
  v_wanted int;
  v_moved text;
BEGIN
  PERFORM 1 FROM event_log.writers w WHERE w.name = p_writer AND w.epoch = p_epoch FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'a newer writer holds the name %', p_writer USING ERRCODE = '${sqlStates.fenced}';
  END IF;

  -- In sorted order, so that two appends never wait for each other.
  PERFORM 1 FROM event_log.partitions p
    JOIN (SELECT DISTINCT u.t, u.n FROM unnest(p_topics, p_partitions) AS u(t, n)) d
      ON d.t = p.topic_id AND d.n = p.partition
    ORDER BY p.topic_id, p.partition
    FOR NO KEY UPDATE OF p;
  GET DIAGNOSTICS v_locked = ROW_COUNT;
  SELECT count(*) INTO v_wanted FROM (SELECT DISTINCT u.t, u.n FROM unnest(p_topics, p_partitions) AS u(t, n)) d;
  IF v_locked <> v_wanted THEN
    RAISE EXCEPTION 'a topic was deleted' USING ERRCODE = '${sqlStates.topicGone}';
  END IF;

  FOR v_topic IN SELECT DISTINCT unnest(p_topics) ORDER BY 1 LOOP
    EXECUTE format($insert$
      INSERT INTO event_log.%I (segment_id, partition, "offset", timestamp_ms, appended_ms, bytes, key, value, headers)
      SELECT p.segment_id, r.partition, p.log_end + row_number() OVER (PARTITION BY r.partition ORDER BY r.ordinal) - 1,
        CASE WHEN t.log_append_time THEN $1 ELSE $2 END, $1,
        greatest(r.key_bytes, 0) + greatest(r.value_bytes, 0) + r.header_bytes,
        CASE WHEN r.key_bytes >= 0 THEN substring($3 FROM r.start + 1 FOR r.key_bytes) END,
        CASE WHEN r.value_bytes >= 0
          THEN substring($3 FROM r.start + 1 + greatest(r.key_bytes, 0) FOR r.value_bytes) END,
        substring($3 FROM r.start + 1 + greatest(r.key_bytes, 0) + greatest(r.value_bytes, 0) FOR r.header_bytes)
      FROM unnest($4, $5, $6, $7, $8, $9) WITH ORDINALITY
        AS r(topic_id, partition, start, key_bytes, value_bytes, header_bytes, ordinal)
      JOIN event_log.topics t ON t.id = r.topic_id
      JOIN event_log.partitions p ON p.topic_id = r.topic_id AND p.partition = r.partition
      WHERE r.topic_id = $10
    $insert$, 'topic_' || v_topic)
    USING v_now_ms, p_sent_ms, p_data, p_topics, p_partitions, p_starts, p_key_bytes, p_value_bytes, p_header_bytes, v_topic;
  END LOOP;

  -- One offset more than there are records: the append's own mark, as on Kafka, so that offsets have holes here too.
  WITH counts AS (
    SELECT u.t, u.n, count(*) AS records FROM unnest(p_topics, p_partitions) AS u(t, n) GROUP BY u.t, u.n
  ), moved AS (
    UPDATE event_log.partitions p SET log_end = p.log_end + c.records + 1
    FROM counts c WHERE p.topic_id = c.t AND p.partition = c.n
    RETURNING p.topic_id, p.partition, p.log_end
  )
  SELECT string_agg(topic_id || ':' || partition || ':' || log_end, ',') INTO v_moved FROM moved;
  RETURN v_moved;
END $append$;

-- Enters a group. The others hear of it and give up what is over their share.
CREATE OR REPLACE FUNCTION event_log.join_group(p_topic int, p_group text, p_session_timeout_ms int) RETURNS bigint
LANGUAGE plpgsql AS $join$
DECLARE
  v_member bigint;
BEGIN
  INSERT INTO event_log.members (topic_id, group_name, session_timeout_ms, expires_at)
  VALUES (p_topic, p_group, p_session_timeout_ms, clock_timestamp() + p_session_timeout_ms * interval '1 millisecond')
  RETURNING id INTO v_member;
  PERFORM pg_notify('${channels.group}', p_topic || ' ' || p_group);
  RETURN v_member;
END $join$;

-- Drops members whose lease ran out, then takes free partitions up to the caller's fair share: of n partitions and m
-- members each gets n / m, and the n % m members that joined first get one more. What is held over the share is the
-- holder's to release, after the batch in hand. No row when the caller is no member any more.
CREATE OR REPLACE FUNCTION event_log.share(p_member bigint) RETURNS TABLE (held int[], quota int)
LANGUAGE plpgsql AS $share$
DECLARE
  v_topic int;
  v_group text;
  v_members int;
  v_before int;
  v_partitions int;
  v_expired int;
BEGIN
  SELECT m.topic_id, m.group_name INTO v_topic, v_group FROM event_log.members m WHERE m.id = p_member;
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('tidemark event_log group ' || v_topic || ' ' || v_group, 0));

  -- A lease that is being renewed right now is locked, and lives.
  DELETE FROM event_log.members WHERE id IN (
    SELECT m.id FROM event_log.members m
    WHERE m.topic_id = v_topic AND m.group_name = v_group AND m.id <> p_member AND m.expires_at < clock_timestamp()
    FOR UPDATE SKIP LOCKED
  );
  GET DIAGNOSTICS v_expired = ROW_COUNT;
  -- The lock may have been waited for: another member may have dropped the caller meanwhile.
  PERFORM 1 FROM event_log.members m WHERE m.id = p_member FOR KEY SHARE;
  IF NOT FOUND THEN RETURN; END IF;

  SELECT count(*), count(*) FILTER (WHERE m.id < p_member) INTO v_members, v_before
  FROM event_log.members m WHERE m.topic_id = v_topic AND m.group_name = v_group;
  SELECT count(*) INTO v_partitions FROM event_log.partitions p WHERE p.topic_id = v_topic;
  quota := v_partitions / v_members + CASE WHEN v_before < v_partitions % v_members THEN 1 ELSE 0 END;

  INSERT INTO event_log.claims (topic_id, group_name, partition, member_id)
  SELECT v_topic, v_group, p.partition, p_member FROM event_log.partitions p
  WHERE p.topic_id = v_topic AND NOT EXISTS (
    SELECT 1 FROM event_log.claims c
    WHERE c.topic_id = v_topic AND c.group_name = v_group AND c.partition = p.partition
  )
  ORDER BY p.partition
  LIMIT greatest(0, quota - (SELECT count(*) FROM event_log.claims c WHERE c.member_id = p_member));

  SELECT coalesce(array_agg(c.partition ORDER BY c.partition), '{}') INTO held
  FROM event_log.claims c WHERE c.member_id = p_member;
  IF v_expired > 0 THEN PERFORM pg_notify('${channels.group}', v_topic || ' ' || v_group); END IF;
  RETURN NEXT;
END $share$;

-- Gives up some partitions, or (p_leave) all of them and the membership.
CREATE OR REPLACE FUNCTION event_log.release(p_member bigint, p_partitions int[], p_leave boolean) RETURNS void
LANGUAGE plpgsql AS $release$
DECLARE
  v_topic int;
  v_group text;
BEGIN
  SELECT m.topic_id, m.group_name INTO v_topic, v_group FROM event_log.members m WHERE m.id = p_member;
  IF NOT FOUND THEN RETURN; END IF;
  DELETE FROM event_log.claims c WHERE c.member_id = p_member AND (p_leave OR c.partition = ANY(p_partitions));
  IF p_leave THEN DELETE FROM event_log.members m WHERE m.id = p_member; END IF;
  PERFORM pg_notify('${channels.group}', v_topic || ' ' || v_group);
END $release$;
`;
