import { EventsController } from './events/events.controller.ts';
import { LiveStatus } from './events/live-status.ts';
import { LetterKindsController } from './letters/letter-kinds.controller.ts';
import { ConsoleProblemsController } from './problem/console-problems.controller.ts';
import { ProblemDetails } from './problem/problem-details.ts';
import { ProblemTextReader } from './problem/problem-texts.ts';
import { SiteController } from './site/site.controller.ts';
import { ConsoleTargetsController } from './target/console-targets.controller.ts';

/** What serves the console, for the gateway's module. */
export const consoleControllers = [
  SiteController,
  EventsController,
  ConsoleProblemsController,
  ConsoleTargetsController,
  LetterKindsController,
];
export const consoleProviders = [LiveStatus, ProblemTextReader, ProblemDetails];
