import { Redirect, Route, Switch } from 'wouter';
import { useLive } from './api/live.ts';
import { FlowPage } from './flow/flow-page.tsx';
import { LettersPage } from './letters/letters-page.tsx';
import { ProblemPage } from './problem/problem-page.tsx';
import { ProblemsPage } from './problems/problems-page.tsx';
import { ServicesPage } from './services/services-page.tsx';
import { TargetPage } from './targets/target-page.tsx';
import { TargetsPage } from './targets/targets-page.tsx';
import { Empty } from './ui/empty.tsx';
import { Shell } from './ui/shell.tsx';
import { TokenForm } from './ui/token-form.tsx';

/** What is shown at which address. */
export function App() {
  const { error } = useLive();
  if (error?.status === 401) return <TokenForm refused={error.code === 'token_wrong'} />;
  return (
    <Shell>
      <Switch>
        <Route path="/" component={FlowPage} />
        <Route path="/targets" component={TargetsPage} />
        <Route path="/targets/:slug">{({ slug }) => <TargetPage key={slug} slug={slug} />}</Route>
        <Route path="/problems" component={ProblemsPage} />
        <Route path="/problems/:id">{({ id }) => <ProblemPage key={id} id={id} />}</Route>
        <Route path="/dead-letters" component={LettersPage} />
        <Route path="/services" component={ServicesPage} />
        <Route path="/index.html">
          <Redirect to="/" />
        </Route>
        <Route>
          <Empty title="There is no such page.">The flow, targets and problems are in the bar above.</Empty>
        </Route>
      </Switch>
    </Shell>
  );
}
