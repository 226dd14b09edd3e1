import { topicsSchema } from '@tidemark/http-contract';
import { type Command, InvalidArgumentError } from 'commander';
import type { CommandContext, Run } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { count, plural, show, tableLines } from '../format/table.ts';
import type { Json } from '../gateway-client.ts';
import { seconds } from '../numbers.ts';
import { waitForCommand, type WaitOptions } from '../wait-for-command.ts';

interface Partition {
  readonly partition: number;
  readonly log_start: string;
  readonly log_end: string;
}

interface MoveOptions extends WaitOptions {
  readonly service: string;
  readonly to: string;
  readonly partition?: number;
  readonly skipUnread?: true;
}

export function registerTopic(program: Command, run: Run): void {
  const topics = program.command('topics').alias('topic').description('the event log, for operators');
  topics
    .command('list')
    .description('topics and how much they hold')
    .option('--all', 'also topics of dead letters that hold none')
    .action(({ all }: { all?: boolean }) => run((context) => list(context, all === true)));
  topics
    .command('create')
    .description('make what is missing; what is there stays as it is')
    .option('--partitions <count>', 'of topics that are made; fixed from then on', whole, 4)
    .action(({ partitions }: { partitions: number }) => run((context) => create(context, partitions)));
  topics
    .command('check')
    .description('what is missing, kept otherwise than it should be, or read from an offset that is gone')
    .action(() => run(check));
  topics
    .command('describe')
    .description('one topic: what it says, how it is kept, how far its readers are')
    .argument('<topic>')
    .action((name: string) => run((context) => describe(context, name)));
  topics
    .command('dump')
    .description('every record of a topic up to now, one JSON object a line')
    .argument('<topic>')
    .action((name: string) =>
      run(async ({ client, output }) => {
        for await (const record of client.lines(`/v1/topics/${encodeURIComponent(name)}`)) await output.object(record);
        return undefined;
      }),
    );
  topics
    .command('move')
    .description('let a service read on elsewhere: where the offset that it stood at is gone, or to read again')
    .argument('<topic>')
    .requiredOption('--service <name>', 'the service that reads it')
    .requiredOption('--to <place>', 'start (the oldest record that is there), end, or an offset')
    .option('--partition <number>', 'one partition (default: all)', wholeOrZero)
    .option('--skip-unread', 'also past records that are there and were not read')
    .option('--no-wait', 'do not wait until it is done')
    .option('--timeout <seconds>', 'how long to wait for the end', seconds, 60)
    .action((name: string, options: MoveOptions) => run((context) => move(context, name, options)));
}

async function list({ client, output }: CommandContext, all: boolean): Promise<undefined> {
  const answer = await client.answer(topicsSchema, '/v1/topics');
  if (output.json) {
    for (const listed of answer.topics) await output.object(listed);
    return undefined;
  }
  const listed = answer.topics.map(({ topic, partitions }) => [
    topic,
    String(partitions.length),
    partitions.reduce((sum, { log_start, log_end }) => sum + BigInt(log_end) - BigInt(log_start), 0n).toString(),
  ]);
  const rows = all ? listed : listed.filter(([topic = '', , offsets]) => !topic.endsWith('.dlq.v1') || offsets !== '0');
  const right = 'right' as const;
  const columns = [{ heading: 'topic' }, { heading: 'partitions', align: right }, { heading: 'offsets', align: right }];
  for (const line of tableLines(columns, rows)) await output.line(line);
  const hidden = listed.length - rows.length;
  if (hidden > 0) await output.line(`… and ${plural(hidden, 'empty topic')} of dead letters (--all)`);
  return undefined;
}

async function create({ client, output }: CommandContext, partitions: number): Promise<undefined> {
  const answer = await client.json('/v1/topics', { method: 'POST', body: { partitions } });
  if (output.json) {
    await output.object(answer);
    return undefined;
  }
  const created = answer.created as string[];
  for (const topic of created) await output.line(`  ${topic}`);
  await output.line(`${plural(created.length, 'topic')} made, ${count(Number(answer.there))} there already`);
  return undefined;
}

async function check({ client, output }: CommandContext): Promise<ExitCode> {
  const answer = await client.json('/v1/topics/check');
  const findings = answer.findings as Json[];
  const notAsked = answer.not_asked as string[];
  if (output.json) await output.object(answer);
  else {
    for (const { topic, what, do: todo } of findings)
      await output.line(`${show(topic)}: ${show(what)}\n  ${show(todo)}`);
    const found = findings.length === 0 ? 'as they should be' : plural(findings.length, 'finding');
    await output.line(`${count(Number(answer.topics))} topics: ${found}`);
    if (notAsked.length > 0) output.note(`No answer, so their offsets were not looked at: ${notAsked.join(', ')}.`);
  }
  return findings.length === 0 ? exitCodes.success : exitCodes.failure;
}

async function describe({ client, output }: CommandContext, name: string): Promise<undefined> {
  const topic = await client.json(`/v1/topics/${encodeURIComponent(name)}/description`);
  if (output.json) {
    await output.object(topic);
    return undefined;
  }
  await output.line(`${show(topic.topic)}${topic.says === undefined ? '' : `: ${show(topic.says)}`}`);
  if (topic.says !== undefined) {
    const names = (value: unknown) => (value as string[]).join(', ');
    await output.line(
      `  ${show(topic.message)}, written by ${names(topic.written_by)}, read by ${names(topic.read_by)}`,
    );
  }
  const kept = topic.cleanup === 'compact' ? 'the newest of each key; tombstones' : 'records';
  await output.line(`  keeps ${kept} for ${Math.round(Number(topic.retention_ms) / 3_600_000)} h`);
  for (const [setting, value] of Object.entries(topic.further as Json))
    await output.line(`  ${setting}: ${show(value)}`);
  const right = 'right' as const;
  const columns = [
    { heading: 'partition', align: right },
    { heading: 'start', align: right },
    { heading: 'end', align: right },
  ];
  const rows = (topic.partitions as Partition[]).map((each) => [String(each.partition), each.log_start, each.log_end]);
  await output.line();
  for (const line of tableLines(columns, rows)) await output.line(line);
  await output.line();
  for (const { service, lag, outside } of topic.readers as Json[]) {
    await output.line(`${show(service)} is ${count(Number(lag))} behind`);
    for (const what of outside as string[]) await output.line(`  ${what}`);
  }
  return undefined;
}

async function move(context: CommandContext, topic: string, options: MoveOptions): Promise<ExitCode> {
  const { service, to, partition, skipUnread } = options;
  const body = { service, to, skip_unread: skipUnread === true, ...(partition !== undefined && { partition }) };
  const path = `/v1/topics/${encodeURIComponent(topic)}/offsets`;
  const command = await context.client.json(path, { method: 'POST', body });
  return await waitForCommand(context, `move ${service} in ${topic}`, command, options);
}

function whole(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('It is a whole number from 1.');
  return Number(text);
}

function wholeOrZero(text: string): number {
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError('It is a whole number from 0.');
  return Number(text);
}
