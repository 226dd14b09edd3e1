import { Controller, Get } from '@nestjs/common';
import { StageDatabase } from '@tidemark/stage-runtime';

/** What kinds of records lie aside. */
@Controller('v1/console/dead-letter-kinds')
export class LetterKindsController {
  constructor(private readonly database: StageDatabase) {}

  /** By service and error, how many are in each state; the most open ones first. */
  @Get()
  async kinds(): Promise<object> {
    const kinds = await this.database.query(
      `SELECT service, error_code, count(*)::float8 AS records, (count(*) FILTER (WHERE state = 'open'))::float8 AS open
       FROM dead_letter GROUP BY service, error_code ORDER BY open DESC, service, error_code LIMIT 200`,
    );
    return { kinds };
  }
}
