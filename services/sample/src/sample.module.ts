import { readFileSync } from 'node:fs';
import { type DynamicModule, Module } from '@nestjs/common';
import { AskWorker } from './ask/ask-worker.ts';
import { EndpointTokens } from './endpoint/endpoint-tokens.ts';
import { HttpModelEndpoint } from './endpoint/http-model-endpoint.ts';
import { ModelEndpoint } from './endpoint/model-endpoint.ts';
import { PoliteEndpoint } from './endpoint/polite-endpoint.ts';
import { OnProblemVerified } from './on-problem-verified/on-problem-verified.ts';
import { OnProblemWithdrawn } from './on-problem-withdrawn/on-problem-withdrawn.ts';
import { OnRolloutsRequested } from './on-rollouts-requested/on-rollouts-requested.ts';
import { OnTargetDeclared } from './on-target-declared/on-target-declared.ts';
import { AgeRequests } from './requests/age-requests.ts';
import type { SampleConfig } from './sample.config.ts';

/** Requests in, groups of attempts out. */
@Module({})
export class SampleModule {
  static of(config: SampleConfig): DynamicModule {
    return {
      module: SampleModule,
      controllers: [OnProblemVerified, OnProblemWithdrawn, OnRolloutsRequested, OnTargetDeclared],
      providers: [
        AgeRequests,
        AskWorker,
        PoliteEndpoint,
        { provide: EndpointTokens, useFactory: () => new EndpointTokens(tokensOf(config)) },
        { provide: ModelEndpoint, useClass: HttpModelEndpoint },
      ],
    };
  }
}

function tokensOf({ endpointTokens, endpointTokensFile }: SampleConfig): string {
  return endpointTokensFile === '' ? endpointTokens : `${endpointTokens}\n${readFileSync(endpointTokensFile, 'utf8')}`;
}
