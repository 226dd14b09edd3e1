import { describeReadModel } from './testing/read-model-suite.ts';

describeReadModel('the embedded log', () => ({}));
