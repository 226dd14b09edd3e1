/** The words in which enum values are shown: lower-case, as the contracts name them; values of a newer writer too. */
import { Split, Stage, StageOutcome, Bin, OriginKind, Purpose, TaskKind, TestForm, Verdict } from '@tidemark/proto';

const nameIn =
  (values: Readonly<Record<number, string>>) =>
  (value: number): string =>
    values[value]?.toLowerCase() ?? `unknown_${value}`;

export const stageName = nameIn(Stage);
export const outcomeName = nameIn(StageOutcome);
export const splitName = nameIn(Split);
export const binName = nameIn(Bin);
export const verdictName = nameIn(Verdict);
export const purposeName = nameIn(Purpose);
export const originKindName = nameIn(OriginKind);
export const taskKindName = nameIn(TaskKind);
export const testFormName = nameIn(TestForm);

const stages: ReadonlyMap<string, Stage> = new Map(
  Object.values(Stage)
    .filter((value): value is Stage => typeof value === 'number')
    .map((stage) => [stageName(stage), stage]),
);

/** The stage that a service stands for; undefined for a name of none. */
export const stageOfService = (service: string): Stage | undefined => stages.get(service);
