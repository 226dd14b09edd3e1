import { Injectable } from '@nestjs/common';
import { type EventLog, ordersTopic, type ServiceName } from '@tidemark/event-log';
import { InjectEventLog, StageDatabase } from '@tidemark/stage-runtime';
import { conflict, notFound } from '../http/http-problem.ts';
import { ServiceDirectory } from '../status/service-directory.ts';
import { decideFindings, type Finding } from './decide-findings.ts';
import { type ExpectedTopic, expectedTopics } from './expected-topics.ts';

/** What operators ask of the topics, and have done to them. */
@Injectable()
export class TopicDesk {
  constructor(
    private readonly database: StageDatabase,
    private readonly services: ServiceDirectory,
    @InjectEventLog() private readonly log: EventLog,
  ) {}

  /** Creates what is missing; what is there stays as it is. */
  async create(partitions: number): Promise<{ created: string[]; there: number }> {
    const expected = await this.expected(partitions);
    const there = new Set(await this.log.admin.list());
    const missing = expected.filter(({ spec }) => !there.has(spec.name)).map(({ spec }) => spec);
    if (missing.length > 0) await this.log.admin.ensureTopics(missing);
    return { created: missing.map(({ name }) => name).sort(), there: expected.length - missing.length };
  }

  /** What is missing, kept otherwise than it should be, or read from an offset that is not there. */
  async check(): Promise<{ topics: number; findings: Finding[]; not_asked: string[] }> {
    const expected = await this.expected(1);
    const settings = await this.log.admin.settings(expected.map(({ spec }) => spec.name));
    const reports = await this.services.ask();
    // A topic is there for readers of later releases too; the letters of one that does not read it are nobody's.
    const readsNot = ({ lettersOf }: ExpectedTopic): boolean => {
      const report = reports.find(({ service }) => service === lettersOf?.service);
      return lettersOf !== undefined && report?.reachable === true && !(lettersOf.topic in report.activity.lag);
    };
    const findings = expected
      .filter((one) => settings.has(one.spec.name) || !readsNot(one))
      .flatMap(({ spec }) => decideFindings(spec, settings.get(spec.name)));
    for (const report of reports) {
      if (!report.reachable) continue;
      for (const what of report.activity.offsetsOutside ?? []) {
        const topic = what.slice(0, what.indexOf('/'));
        const todo = `tidemark topics move ${topic} --service ${report.service} --to start`;
        findings.push({ topic, code: 'offset_out_of_range', what: `${report.service}: ${what}`, do: todo });
      }
    }
    return {
      topics: expected.length,
      findings,
      not_asked: reports.filter(({ reachable }) => !reachable).map(({ service }) => service),
    };
  }

  /** One topic: what it says, how it is kept, where it stands, how far its readers are. @throws HttpProblem 404 */
  async describe(topic: string): Promise<object> {
    const description = await this.log.admin.describe(topic);
    const settings = (await this.log.admin.settings([topic])).get(topic);
    if (description === undefined || settings === undefined) {
      throw notFound('topic', topic, 'GET /v1/topics lists them.');
    }
    const definition = (await this.expected(1)).find(({ spec }) => spec.name === topic)?.definition;
    const reports = await this.services.ask();
    return {
      topic,
      incarnation: description.incarnation,
      ...(definition !== undefined && {
        says: definition.says,
        message: definition.schema.typeName,
        written_by: definition.writtenBy,
        read_by: definition.readBy,
      }),
      cleanup: settings.cleanup,
      retention_ms: settings.retentionMs,
      log_append_time: settings.logAppendTime,
      further: settings.further,
      partitions: description.partitions.map(({ logStart, logEnd }, partition) => ({
        partition,
        log_start: String(logStart),
        log_end: String(logEnd),
      })),
      readers: reports.flatMap((report) => {
        if (!report.reachable || report.activity.lag[topic] === undefined) return [];
        const outside = (report.activity.offsetsOutside ?? []).filter((what) => what.startsWith(`${topic}/`));
        return [{ service: report.service, lag: report.activity.lag[topic], outside }];
      }),
    };
  }

  /** An order to a service that has no topic for it would hold up all that is published here. @throws HttpProblem 409 */
  async assertOrders(service: ServiceName): Promise<void> {
    if ((await this.log.admin.describe(ordersTopic(service).name)) !== undefined) return;
    throw conflict('service_absent', `${service} has never started with this release.`, 'Start it first.');
  }

  private async expected(partitions: number): Promise<readonly ExpectedTopic[]> {
    const rows = await this.database.query<{ target: string }>('SELECT target FROM target ORDER BY target');
    return expectedTopics(
      partitions,
      rows.map(({ target }) => target),
    );
  }
}
